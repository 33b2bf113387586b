"""RSA key pairs for encrypted scenarios: generated on this machine when first needed, never in the repository."""

from pathlib import Path

from filelock import FileLock

from bench.base.paths import STATE
from bench.model.scenario import Scenario


def keys_of(scenario: Scenario) -> Path | None:
    """The folder with the keys of a scenario, made where it is missing; None for a scenario without encryption."""
    return key_folder(scenario.keys.bits) if scenario.keys else None


def key_folder(bits: int, folder: Path = STATE / "keys") -> Path:
    """The folder with public.pem and private.pem of a key of this size, for a runner's `--keys`.

    The private key is PKCS #8, the public one SubjectPublicKeyInfo, both as PEM.
    """
    keys = folder / f"rsa-{bits}"
    keys.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        if not (keys / "public.pem").exists():
            from cryptography.hazmat.primitives.asymmetric import rsa
            from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

            key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
            private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            (keys / "private.pem").touch(mode=0o600)
            (keys / "private.pem").write_bytes(private)
            public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            (keys / "public.tmp").write_bytes(public)
            (keys / "public.tmp").replace(keys / "public.pem")  # last: where it exists, both are complete
    return keys
