# What the flake offers for every system, evaluated to its last string over the stand-in for nixpkgs, as plain values.
{
  rustVersion ? "1.95.0",
  nixVersion ? "2.18", # what is said of this Nix, which may be older: the stand-in needs less than nixpkgs
}:
let
  flake = builtins.scopedImport {
    builtins = builtins // {
      inherit nixVersion;
    };
  } ../../flake.nix;
  outputs = flake.outputs {
    self.rev = "0000000000000000000000000000000000000000";
    nixpkgs = import ./nixpkgs.nix { inherit rustVersion; };
  };
  plain =
    value:
    if builtins.isAttrs value && (value.type or "") == "derivation" then
      builtins.deepSeq value {
        inherit (value) name;
        path = value.outPath;
        meta = value.meta or { };
        files = value.src.files or [ ];
        command = value.buildPhase or value.command or "";
        wheels = map (entry: entry.name) (value.env.wheels.entries or [ ]);
      }
    else if builtins.isAttrs value then
      builtins.mapAttrs (_: plain) value
    else
      value;
in
builtins.mapAttrs (_: plain) outputs
