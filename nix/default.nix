# Everything that the flake offers for one system. Codecs are read from runners/<language>/codecs; a language is a file
# here of the same name, a function of { pkgs, wheels, types } that gives a derivation a codec.
{ pkgs, revision }:
let
  inherit (pkgs) lib stdenv;
  wheels = import ./wheels.nix { inherit pkgs; };
  pins = import ./pins.nix { inherit pkgs wheels; };

  foldersOf =
    path: lib.attrNames (lib.filterAttrs (_: kind: kind == "directory") (builtins.readDir path));
  languages = lib.filter (name: lib.pathExists (../runners + "/${name}/codecs")) (
    foldersOf ../runners
  );
  types = import ./types.nix { inherit pkgs wheels; };
  # Language → codec → its runner with a set of types, for every codec that this system can have.
  runnersOf =
    set:
    lib.genAttrs languages (
      language:
      let
        file = ./. + "/${language}.nix";
      in
      if builtins.pathExists file then
        import file {
          inherit pkgs wheels;
          types = types set language;
        }
      else
        throw "nix/${language}.nix is missing: it tells how runners/${language} is built (nix/rust.nix is one to start from)"
    );
  runners = runnersOf "published";
  # Scenarios with types of their own: their runners are built when they are measured.
  ownTypes = lib.attrNames (
    lib.filterAttrs (_: scenario: scenario ? types) (import ./scenarios.nix { inherit lib; }).all
  );
  packageOf = lib.concatMapAttrs (
    language: lib.mapAttrs' (codec: runner: lib.nameValuePair "runner-${language}-${codec}" runner)
  ) runners;
  # FOLDER/<language>/<codec>: what `lab manifest` reads.
  allRunners = pkgs.linkFarm "runners" (
    lib.concatMapAttrs (
      language: lib.mapAttrs' (codec: lib.nameValuePair "${language}/${codec}")
    ) runners
  );

  allOf = lib.concatMap lib.attrValues (lib.attrValues runners);

  lab = import ./lab.nix {
    inherit
      pkgs
      wheels
      allRunners
      runners
      revision
      ;
    runnersBySet = lib.genAttrs ([ "published" ] ++ ownTypes) runnersOf;
  };

  app = description: arguments: {
    type = "app";
    program = "${pkgs.writeShellScript "wirelab" ''exec ${lib.getExe lab.onDemand} ${arguments} "$@"''}";
    meta = { inherit description; };
  };
in
assert lib.assertMsg pins.holds pins.problem;
{
  packages =
    packageOf
    // {
      default = lab.package;
      lab = lab.package; # with all runners: it needs neither Nix nor a network any more
      driver = lab.onDemand; # with none: Nix builds those that it is asked to measure
      runners = allRunners;
      layers = pkgs.linkFarm "layers" (
        # what is compiled before them, for a cache
        lib.imap0 (number: path: {
          name = toString number;
          inherit path;
        }) (lib.unique (lib.concatMap (runner: runner.layers or [ ]) allOf))
      );
    }
    // lib.optionalAttrs stdenv.hostPlatform.isLinux {
      image = import ./image.nix { inherit pkgs lab revision; };
    };

  apps = rec {
    default = bench;
    bench = app "Build the selected codecs, verify and measure them, record a run below runs/ and print the tables" "bench";
    table = app "Print the tables of recorded runs" "table";
    report = app "Write the report of recorded runs" "report";
    test = {
      type = "app";
      program = lib.getExe lab.test;
      meta.description = "Pass the tests of the driver and the analysis";
    };
  };

  checks = import ./checks.nix {
    inherit
      pkgs
      wheels
      lab
      runners
      allRunners
      ;
  };

  devShells.default = pkgs.mkShell {
    packages = [
      lab.developerTools
      lab.developerEnvironment
      pkgs.cmake
      pkgs.llvmPackages.libcxxStdenv.cc
      pkgs.ninja
    ];
    # The checkout's own driver, and the toolchain of this flake for what it builds.
    PYTHONPATH = ".";
    LAB_TOOLS = lab.developerTools;
  };

  formatter = pkgs.nixfmt-tree; # of all files; nixfmt itself would wait for one on its standard input
}
