# What `nix flake check` proves: style, tests, every runner's correctness, and that runners build again to the same bits.
{
  pkgs,
  wheels,
  lab,
  runners,
  allRunners,
}:
let
  inherit (pkgs) lib;
  mostBytes = 1000 * 1000 * 1000;
  checkout = ../.; # of a flake: what git tracks
  vendored = pkgs.rustPlatform.importCargoLock { lockFile = ../runners/rust/Cargo.lock; };

  # A command in a writable copy of the checkout, with the developers' tools and the runners of this flake.
  inCheckout =
    name: command:
    pkgs.runCommand "wirelab-${name}"
      {
        nativeBuildInputs = [
          lab.developerEnvironment
          lab.developerTools
        ];
        LAB_TOOLS = lab.developerTools;
        LAB_RUNNERS = lab.manifest;
      }
      ''
        cp -r --no-preserve=mode ${checkout} checkout
        cd checkout
        chmod +x lab .ci/run
        git init --quiet && git add --all # tests ask git for what belongs to the project
        export HOME=$NIX_BUILD_TOP CARGO_HOME=$NIX_BUILD_TOP/cargo
        mkdir "$CARGO_HOME"
        sed 's|cargo-vendor-dir|${vendored}|' ${vendored}/.cargo/config.toml > "$CARGO_HOME/config.toml"
        ${command}
        touch "$out"
      '';

  # Each runner once more, in another folder, under another name, over the same layers.
  again =
    runner:
    runner.overrideAttrs (old: {
      name = "again-${runner.name}";
      preUnpack = ''
        mkdir elsewhere
        cd elsewhere
        export NIX_BUILD_TOP=$PWD
      '';
    });
in
{
  lint = inCheckout "lint" "python -m bench.cli lint && python -m bench.cli lint --libraries";
  tests = inCheckout "tests" ''
    python -m pytest --numprocesses "$NIX_BUILD_CORES" --dist worksteal -m "not host and not slow"
  '';
  verify = pkgs.runCommand "wirelab-verify" { } ''
    LAB_WORK=$NIX_BUILD_TOP ${lib.getExe lab.package} verify
    touch "$out"
  '';
  # What the image holds, packed as in it.
  size =
    pkgs.runCommand "wirelab-size" { closure = pkgs.closureInfo { rootPaths = [ lab.package ]; }; }
      ''
        bytes=$(xargs tar --create --absolute-names < "$closure/store-paths" | gzip | wc --bytes)
        if [ "$bytes" -gt ${toString mostBytes} ]; then
          echo "the lab with all runners, packed, has $bytes bytes, more than ${toString mostBytes}:" >&2
          xargs du --summarize --bytes < "$closure/store-paths" | sort --numeric-sort | tail --lines=20 >&2
          exit 1
        fi
        touch "$out"
      '';
  reproducible = pkgs.runCommand "wirelab-reproducible" { } (
    lib.concatMapStrings (
      runner:
      let
        part = runner.builtPart or "bin";
      in
      ''
        diff --recursive --no-dereference ${runner}/${part} ${again runner}/${part}
        if [ -e ${runner}/layouts.tar.xz ]; then # the other links, which are measured too
          cmp ${runner}/layouts.tar.xz ${again runner}/layouts.tar.xz
        fi
      ''
    ) (lib.concatMap lib.attrValues (lib.attrValues runners))
    + ''touch "$out"''
  );
}
