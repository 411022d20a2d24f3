import pytest

from vicinal.exceptions import ParameterError
from vicinal.explorer.http.settings import ServiceSettings

TOKEN = "a-token-of-24-characters"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_other_machines_need_a_token(host):
    with pytest.raises(ParameterError, match="needs a token"):
        ServiceSettings(host=host)
    assert not ServiceSettings(host=host, token=TOKEN).loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_this_machine_needs_none(host):
    assert ServiceSettings(host=host).loopback


@pytest.mark.parametrize("token", ["short", "x" * 15, "ü" * 20, "line\n" * 5])
def test_a_token_is_long_and_fits_into_a_header(token):
    with pytest.raises(ParameterError, match="token"):
        ServiceSettings(token=token)


def test_a_token_is_not_shown():
    assert TOKEN not in repr(ServiceSettings(token=TOKEN))


def test_further_names_are_allowed_by_name():
    settings = ServiceSettings(hosts=("box.local",))
    assert settings.answers_to("BOX.local")
    assert settings.answers_to("localhost")
    assert not settings.answers_to("other.local")
    public = ServiceSettings(host="0.0.0.0", token=TOKEN, hosts=("box.local",))
    assert public.answers_to("box.local")
    assert not public.answers_to("other.local")
