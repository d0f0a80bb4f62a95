"""A reader and actions that only note what they are told, and a private settings file."""

import pytest

from desktop_tts.settings import SettingsStore
from desktop_tts.ui.sample import SampleReader, sample_actions


@pytest.fixture
def store(tmp_path):
    return SettingsStore(tmp_path / "settings.json")


@pytest.fixture
def reader(qapp):
    return SampleReader()


@pytest.fixture
def actions(reader):
    return sample_actions(reader)
