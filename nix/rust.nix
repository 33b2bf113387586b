# The Rust runners: Cargo's own command, as `./lab build` gives it, over the crates that Cargo.lock pins. Not
# buildRustPackage: its `--target` and its own rustflags would put aside those of runners/rust/.cargo/config.toml,
# and the measured code would be laid out otherwise than Cargo does elsewhere.
{ pkgs, ... }:
let
  inherit (pkgs) lib stdenv;
  inherit (lib) fileset;
  root = ../.;
  workspace = ../runners/rust;
  layouts = import ./layouts.nix { inherit pkgs; };
  vendored = pkgs.rustPlatform.importCargoLock { lockFile = workspace + "/Cargo.lock"; };

  # The host as Cargo's variables name it.
  target = lib.toUpper (
    lib.replaceStrings [ "-" ] [ "_" ] "${stdenv.hostPlatform.parsed.cpu.name}-unknown-linux-gnu"
  );

  # The folders of the crates that the crate in a folder is built from, itself included: Cargo's graph, as far as its
  # edges are paths.
  cratesOf =
    folder:
    let
      crate = folder: {
        inherit folder;
        key = toString folder;
      };
    in
    map (crate: crate.folder) (
      builtins.genericClosure {
        startSet = [ (crate folder) ];
        operator = { folder, ... }: map crate (pathsOf folder);
      }
    );
  inherit ((lib.importTOML (workspace + "/Cargo.toml")).workspace) dependencies;
  # The folders that the manifest of a crate names, itself or by [workspace.dependencies].
  pathsOf =
    folder:
    let
      manifest = lib.importTOML (folder + "/Cargo.toml");
      tables = lib.concatMap (table: [
        (table.dependencies or { })
        (table.build-dependencies or { })
      ]) ([ manifest ] ++ lib.attrValues (manifest.target or { }));
      pathOf =
        name: dependency:
        if dependency ? path then
          [ (folder + "/${dependency.path}") ]
        else
          lib.optional (dependency.workspace or false && dependencies.${name} ? path) (
            workspace + "/${dependencies.${name}.path}"
          );
    in
    lib.concatLists (lib.concatMap (lib.mapAttrsToList pathOf) tables);
  # Cargo wants the manifest of every member, to see that the lock file is theirs; the sources only of what it builds.
  # So a change of one Cargo.toml or of Cargo.lock builds every Rust runner again; one of a codec's sources, only that
  # codec's.
  manifests = fileset.fileFilter (file: file.name == "Cargo.toml") workspace;
  # Schemas that crates generate code from.
  schemas = fileset.fileFilter (file: file.hasExt "proto" || file.hasExt "fbs") ../schemas;

  runner =
    codec:
    let
      folder = workspace + "/codecs/${codec}";
      inherit ((lib.importTOML (folder + "/Cargo.toml")).package) name;
    in
    stdenv.mkDerivation {
      pname = "runner-rust-${codec}";
      version = (lib.importTOML (workspace + "/Cargo.toml")).workspace.package.version;
      src = fileset.toSource {
        inherit root;
        fileset = fileset.unions (
          [
            (workspace + "/Cargo.lock")
            (workspace + "/.cargo")
            manifests
            schemas
          ]
          ++ cratesOf folder
        );
      };
      nativeBuildInputs = [
        pkgs.cargo
        pkgs.rustc
      ];
      buildPhase = ''
        runHook preBuild
        cd runners/rust
        for manifest in */Cargo.toml */*/Cargo.toml; do
          src=$(dirname "$manifest")/src
          [ -e "$src" ] || { mkdir "$src"; touch "$src/lib.rs"; echo 'fn main() {}' > "$src/main.rs"; }
        done
        export CARGO_HOME=$NIX_BUILD_TOP/cargo CARGO_TARGET_DIR=$NIX_BUILD_TOP/target
        mkdir "$CARGO_HOME"
        sed 's|cargo-vendor-dir|${vendored}|' ${vendored}/.cargo/config.toml > "$CARGO_HOME/config.toml"
        ${lib.optionalString stdenv.hostPlatform.isLinux ''
          patchShebangs .cargo/keep-objects
          export CARGO_TARGET_${target}_LINKER=$PWD/.cargo/keep-objects
        ''}
        # No path of this build is in a program, and so no source in its closure.
        flags="'--remap-path-prefix=$CARGO_HOME=/cargo', '--remap-path-prefix=${vendored}=/cargo/vendor'"
        flags="$flags, '--remap-path-prefix=''${PWD%/runners/rust}=/lab', '--remap-path-prefix=$CARGO_TARGET_DIR=/target'"
        cargo build --release --locked --offline --config "build.rustflags=[$flags]" -p ${name}
        runHook postBuild
      '';
      installPhase = ''
        runHook preInstall
        install -D -t "$out/bin" "$CARGO_TARGET_DIR/release/${name}"
        ${lib.optionalString stdenv.hostPlatform.isLinux ''
          words=(cc)
          mapfile -d "" -t -O 1 words < "$CARGO_TARGET_DIR"/release/objects/${
            lib.replaceStrings [ "-" ] [ "_" ] name
          }-*/arguments
        ''}
        ${layouts.install name}
        runHook postInstall
      '';
      # Cargo's profile says what is stripped; hardening is for C.
      dontStrip = true;
      hardeningDisable = [ "all" ];
      disallowedReferences = [ vendored ];
      env.NIX_NO_SELF_RPATH = "1"; # the program's own path in it, though it has no libraries there
      meta = {
        description = "Wirelab's runner of the codec rust/${codec}";
        license = lib.licenses.asl20;
        mainProgram = name;
      };
    };
in
lib.genAttrs (lib.attrNames (builtins.readDir (workspace + "/codecs"))) runner
