# The driver and the analysis with their tools, twice: with all runners, so that nothing is built or downloaded at run
# time, and nothing is taken from the host; and with the runners' derivations alone, of which Nix then builds those that
# a selection needs.
{
  pkgs,
  wheels,
  runners,
  runnersBySet,
  allRunners,
  revision,
}:
let
  inherit (pkgs) lib stdenv;
  inherit (lib) fileset;

  environment = wheels.environment {
    name = "wirelab-python";
    package = "wirelab";
  };
  developerEnvironment = wheels.environment {
    name = "wirelab-python-dev";
    package = "wirelab";
    groups = [ "dev" ];
  };

  tree = fileset.toSource {
    root = ../.;
    fileset = fileset.unions [
      ../analysis
      ../bench
      ../flake.lock
      ../runners
      ../rust-toolchain.toml
      ../schemas
      ../uv.lock
    ];
  };
  # For `lab --version`, which asks for the metadata of an installed package.
  metadata = pkgs.writeTextDir "wirelab-${project.version}.dist-info/METADATA" ''
    Metadata-Version: 2.4
    Name: ${project.name}
    Version: ${project.version}
  '';
  inherit (lib.importTOML ../pyproject.toml) project;

  tools = pkgs.symlinkJoin {
    name = "wirelab-tools";
    paths = [ pkgs.hyperfine ];
  };
  developerTools = pkgs.symlinkJoin {
    name = "wirelab-developer-tools";
    paths =
      with pkgs;
      [
        actionlint
        cargo
        cargo-deny
        clippy
        git
        hyperfine
        nixfmt
        rustc
        rustfmt
        shellcheck
        stdenv.cc
        uv
        zizmor
        (import ./flatc.nix { inherit pkgs; })
      ]
      ++ lib.optional stdenv.hostPlatform.isLinux valgrind;
  };

  # What the store knows of each runner: the path, which says what it was built from, and the hash of what came out.
  identities =
    pkgs.runCommand "identities.json"
      {
        __structuredAttrs = true;
        exportReferencesGraph.runners = [ allRunners ];
        paths = lib.concatMapAttrs (
          language: lib.mapAttrs' (codec: runner: lib.nameValuePair "${language}/${codec}" "${runner}")
        ) runners;
        nativeBuildInputs = [ pkgs.jq ];
      }
      ''
        jq '(.runners | map({(.path): .narHash}) | add) as $hashes
          | .paths | map_values({store_path: ., nar_hash: $hashes[.]})' "$NIX_ATTRS_JSON_FILE" > "$out"
      '';
  manifest = pkgs.runCommand "runners.json" { } ''
    cd ${tree}
    LAB_WORK=$NIX_BUILD_TOP ${environment}/bin/python -m bench.cli manifest ${allRunners} \
      --toolchain nix --identities ${identities} --out "$out"
  '';

  # A derivation's own file and those that it is built from, and nothing of what they build.
  derivationsOf = lib.concatMapAttrs (
    language:
    lib.mapAttrs' (
      codec: runner:
      lib.nameValuePair "${language}/${codec}" (builtins.unsafeDiscardOutputDependency runner.drvPath)
    )
  );
  derivations = pkgs.writeText "derivations.json" (
    builtins.toJSON (lib.mapAttrs (_: derivationsOf) runnersBySet)
  );

  labWith =
    runners:
    let
      variables = {
        LAB_TOOLS = tools;
        PYTHONPATH = "${tree}:${metadata}";
        PYTHONDONTWRITEBYTECODE = "1";
      }
      // lib.optionalAttrs (revision != null) { LAB_REVISION = revision; }
      // runners;
    in
    pkgs.runCommand "wirelab-${project.version}"
      {
        nativeBuildInputs = [ pkgs.makeBinaryWrapper ];
        meta = {
          inherit (project) description;
          license = lib.licenses.asl20;
          mainProgram = "lab";
        };
      }
      ''
        # -P: nothing is imported from the current folder.
        makeWrapper ${environment}/bin/python "$out/bin/lab" --add-flags "-P -s -m bench.cli" \
          --unset PYTHONHOME --unset PYTHONSTARTUP \
          --set-default LAB_WORK . \
          ${lib.concatStringsSep " " (lib.mapAttrsToList (name: value: "--set ${name} ${value}") variables)}
      '';
in
{
  inherit
    developerEnvironment
    developerTools
    manifest
    ;
  # With all runners.
  package = labWith { LAB_RUNNERS = manifest; };
  # With those that Nix builds when they are needed.
  onDemand = labWith {
    LAB_DERIVATIONS = derivations;
    LAB_TOOLCHAIN = "nix";
  };

  # In a checkout its own tests; elsewhere those of the sources that the flake was made from.
  test = pkgs.writeShellApplication {
    name = "lab-test";
    runtimeInputs = [
      developerEnvironment
      developerTools
      pkgs.coreutils
    ];
    runtimeEnv = {
      LAB_TOOLS = developerTools;
      LAB_RUNNERS = manifest;
    };
    text = ''
      if ! [ -e tests/conftest.py ] || ! [ -e bench/cli.py ]; then
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        cp -r --no-preserve=mode ${../.}/. "$work"
        cd "$work"
      fi
      python -m pytest "$@"
    '';
  };
}
