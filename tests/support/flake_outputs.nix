# What the flake offers for every system, evaluated to its last string over the stand-in for nixpkgs, as plain values.
{
  versions ? { }, # of packages, that the stand-in is to have: { uvVersion = "0.11.3"; }
  lacking ? null, # a system, whose names are given as they are
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
    nixpkgs = import ./nixpkgs.nix versions;
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
        layers = map (layer: layer.outPath) (value.layers or [ ]);
        labels = value.config.Labels or { };
        disallowed = map (one: one.name) (value.disallowedReferences or [ ]);
        wheels = builtins.listToAttrs (
          map (entry: {
            inherit (entry) name;
            value = "${entry.path}";
          }) (value.environment.wheels.entries or [ ])
        );
      }
    else if builtins.isAttrs value then
      builtins.mapAttrs (_: plain) value
    else
      value;
in
# What a system lacks says so when it is asked for by name, and Nix's own checks don't ask.
if lacking != null then
  outputs.legacyPackages.${lacking}
else
  builtins.mapAttrs (_: plain) (removeAttrs outputs [ "legacyPackages" ])
