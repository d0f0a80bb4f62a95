"""Packed weights give the same results, and aren't kept twice."""

import pytest
import torch

from desktop_tts.qwen3tts.dense import Dense, pack


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (3, 2)])
def test_packed_equals_plain(bias, shape):
    generator = torch.Generator().manual_seed(1)
    weight, x = torch.randn(24, 40, generator=generator), torch.randn(*shape, 40, generator=generator)
    layer = Dense(weight.clone(), torch.randn(24, generator=generator) if bias else None)
    plain = layer(x)
    pack(torch.nn.Sequential(layer))
    torch.testing.assert_close(layer(x), plain, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(layer(x.transpose(0, 1)), plain.transpose(0, 1), rtol=1e-5, atol=1e-5)
    assert layer.weight.numel() == (0 if torch.backends.mkldnn.is_available() else 24 * 40)


def test_other_types_stay_plain():
    layer = Dense(torch.randn(8, 8)).to(torch.bfloat16)
    layer.pack()
    assert layer.weight.shape == (8, 8)
    assert layer(torch.randn(1, 8, dtype=torch.bfloat16)).dtype == torch.bfloat16
