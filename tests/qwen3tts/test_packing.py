"""Packed weights give the same results, as exactly as their form allows, and aren't kept twice."""

import pytest
import torch

from desktop_tts.qwen3tts import packing
from desktop_tts.qwen3tts.dense import Dense, pack
from desktop_tts.qwen3tts.packing import Form, int8_obstacle, packed_int8, quantize

SHAPES = [(1, 1), (1, 7), (3, 2)]
"""Batches and rows."""


def layer_and_input(shape, bias, dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    weight, x = torch.randn(24, 40, generator=generator), torch.randn(*shape, 40, generator=generator)
    layer = Dense(weight.to(dtype), torch.randn(24, generator=generator).to(dtype) if bias else None)
    return layer, x.to(dtype)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_packed_equals_plain(bias, shape):
    layer, x = layer_and_input(shape, bias)
    plain = layer(x)
    pack(torch.nn.Sequential(layer))
    torch.testing.assert_close(layer(x), plain, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(layer(x.transpose(0, 1)), plain.transpose(0, 1), rtol=1e-5, atol=1e-5)
    assert layer.packs
    assert not layer.weight.numel()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_published_weights_lose_nothing_in_half_the_bytes(bias, shape):
    """They are bfloat16 numbers: float16 holds them, and products are still float32."""
    layer, x = layer_and_input(shape, bias)
    layer.weight.copy_(layer.weight.bfloat16().float() / 16)
    exact = layer(x.double().float())
    layer.pack()
    assert layer._product.__qualname__.startswith("_as_half")
    torch.testing.assert_close(layer(x), exact, rtol=1e-5, atol=1e-5)


def test_weights_that_float16_cannot_hold_keep_their_bits():
    layer, x = layer_and_input((1, 1), False)
    layer.weight[3, 5] = 1e6
    plain = layer(x)
    layer.pack()
    torch.testing.assert_close(layer(x), plain, rtol=1e-5, atol=1e-4)


def test_a_bfloat16_layer_stays_one():
    layer, x = layer_and_input((2, 3), True, torch.bfloat16)
    plain = layer(x)
    layer.pack()
    assert layer(x).dtype == layer.weight.dtype == torch.bfloat16
    torch.testing.assert_close(layer(x).float(), plain.float(), rtol=2e-2, atol=2e-2)


def test_float16_layers_stay_plain():
    layer = Dense(torch.randn(8, 8)).to(torch.float16)
    layer.pack()
    assert layer.weight.shape == (8, 8)
    assert layer(torch.randn(1, 8, dtype=torch.float16)).dtype == torch.float16


@pytest.mark.parametrize(
    ("form", "vnni", "error"), [(Form.BFLOAT16, True, 0.006), (Form.INT8, True, 0.02), (Form.INT8, False, 0.03)]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_smaller_forms_stay_close(form, vnni, error, shape, monkeypatch):
    """``error`` is that of the result's root mean square; the figures seen are half of it."""
    if vnni and form is Form.INT8 and not packing._multiplies_int8_exactly():
        pytest.skip("this processor has no VNNI: inputs keep to 7 bits, which the other case is")
    monkeypatch.setattr(packing, "_multiplies_int8_exactly", lambda: vnni)
    layer, x = layer_and_input(shape, True)
    plain = layer(x)
    layer.pack(form)
    assert relative_error(layer(x), plain) < error


def test_a_loud_row_does_not_drown_the_others():
    """One scale for all inputs would leave nothing of a row that is 10,000 times quieter than its neighbour."""
    layer, x = layer_and_input((1, 4), False)
    x[0, 2] *= 1e4
    plain = layer(x)
    layer.pack(Form.INT8)
    for row in range(4):
        assert relative_error(layer(x)[0, row], plain[0, row]) < 0.04


def test_rows_do_not_depend_on_their_neighbours():
    layer, x = layer_and_input((1, 6), False)
    layer.pack(Form.INT8)
    together = layer(x)
    for row in range(5):
        assert torch.equal(layer(x[:, row : row + 2])[0, 0], together[0, row])


def test_silence_and_zero_weights_stay_zero():
    layer = Dense(torch.zeros(8, 16))
    layer.pack(Form.INT8)
    assert not layer(torch.randn(1, 3, 16)).any()
    layer = Dense(torch.randn(8, 16))
    layer.pack(Form.INT8)
    assert not layer(torch.zeros(1, 3, 16)).any()
    assert not layer(torch.zeros(1, 1, 16)).any()


def test_layers_that_stay_exact_do_so_in_any_form():
    weight, x = torch.randn(24, 40), torch.randn(1, 2, 40)
    layer = Dense(weight.clone(), keep_exact=True)
    layer.pack(Form.INT8)
    torch.testing.assert_close(layer(x), x @ weight.T, rtol=1e-5, atol=1e-5)


def test_quantized_weights_can_be_given_again():
    layer, x = layer_and_input((2, 2), True)
    other = Dense(torch.empty(24, 40), layer.bias)
    other.set_int8(*quantize(layer.weight))
    layer.pack(Form.INT8)
    assert torch.equal(layer(x), other(x))


def test_the_largest_weight_of_each_output_is_127():
    weight = torch.randn(6, 32) * torch.logspace(-3, 3, 6)[:, None]
    whole, scale = quantize(weight)
    assert whole.abs().amax(1).tolist() == [127] * 6
    assert ((whole * scale[:, None] - weight).abs() <= scale[:, None] / 2 * 1.001).all()


def test_this_machine_has_8_bit_products():
    """The tests of int8 would otherwise say nothing."""
    assert int8_obstacle() == ""
    assert packed_int8(*quantize(torch.eye(8)))(torch.ones(1, 8), None).shape == (1, 8)


def relative_error(result, plain):
    return float((result - plain).square().mean().sqrt() / plain.square().mean().sqrt())
