# What the flake takes from nixpkgs and the lab pins elsewhere must be the same version in both.
{ pkgs }:
let
  inherit (pkgs) lib;
  toolchain = lib.importTOML ../rust-toolchain.toml;
  tools = lib.importTOML ../bench/pins/tools.toml;
  pins = [
    {
      name = "rustc";
      file = "rust-toolchain.toml";
      here = pkgs.rustc.version;
      there = toolchain.toolchain.channel;
    }
    {
      name = "cargo";
      file = "rust-toolchain.toml";
      here = pkgs.cargo.version;
      there = toolchain.toolchain.channel;
    }
    {
      name = "hyperfine";
      file = "bench/pins/tools.toml";
      here = pkgs.hyperfine.version;
      there = tools.hyperfine.version;
    }
  ];
  wrong = lib.filter (pin: pin.here != pin.there) pins;
in
{
  holds = wrong == [ ];
  problem = lib.concatMapStringsSep "\n" (
    pin:
    "${pin.name} is ${pin.here} in the pinned nixpkgs, but ${pin.there} in ${pin.file}: change one of them."
  ) wrong;
}
