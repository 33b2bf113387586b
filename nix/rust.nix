# The Rust runners: Cargo's own command with the flags of `./lab build`, over the crates that Cargo.lock pins. Not
# buildRustPackage: its `--target` and its own rustflags would put aside those of runners/rust/.cargo/config.toml,
# and the measured code would be laid out otherwise than Cargo does elsewhere.
#
# A runner is compiled in steps, each a derivation that takes over what Cargo left of those before it: the kit, each
# crate in libraries/, the dependencies of a codec (one derivation for all codecs that name the same), the codec. Cargo
# decides by its own fingerprints what of that it can use: a crate with other features is compiled again.
{ pkgs, types, ... }:
let
  inherit (pkgs) lib stdenv;
  inherit (lib) fileset;
  workspace = ../runners/rust;
  layouts = import ./layouts.nix { inherit pkgs; };
  toTOML = import ./toml.nix { inherit lib; };
  crates = import ./crates.nix { inherit lib workspace; };

  # One folder for all steps, because Cargo compiles a crate again that lies elsewhere than before: what the runners
  # need of Cargo.lock, and nothing that only tests take.
  lock = pkgs.writeText "Cargo.lock" (toTOML crates.lock);
  vendored = pkgs.rustPlatform.importCargoLock { lockFileContents = toTOML crates.lock; };

  # No path of a build is in a program, and so no source in its closure. Those that every build has anew are hidden from
  # Cargo, which takes a compiler with other flags for another one.
  rustc = pkgs.writeShellScript "rustc-without-paths" ''
    exec "$@" --remap-path-prefix="$LAB_SOURCES=/lab" --remap-path-prefix="$CARGO_TARGET_DIR=/target" \
      --remap-path-prefix="$WIRELAB_TYPES=/types"
  '';
  flags = "['--remap-path-prefix=${vendored}=/cargo/vendor']";
  # The host as Cargo's variables name it.
  target = lib.toUpper (
    lib.replaceStrings [ "-" ] [ "_" ] "${stdenv.hostPlatform.parsed.cpu.name}-unknown-linux-gnu"
  );
  keepObjects = pkgs.writeShellScript "keep-objects" (
    builtins.readFile (workspace + "/.cargo/keep-objects")
  );
  # Schemas that crates generate code from.
  schemas = fileset.fileFilter (file: file.hasExt "proto" || file.hasExt "fbs") ../schemas;

  # Cargo's build of a package, from the crates in `folders`, with the manifests of these alone; `layers` are what it
  # takes over.
  build =
    {
      package,
      folders,
      manifests,
      layers,
      ...
    }@asked:
    stdenv.mkDerivation (
      {
        inherit layers;
        WIRELAB_TYPES = types; # the same path in all steps, or Cargo would compile again what is made of it
        src = fileset.toSource {
          root = ../.;
          fileset = fileset.unions (
            [
              (workspace + "/.cargo/config.toml")
              schemas
            ]
            ++ folders
          );
        };
        nativeBuildInputs = [
          pkgs.cargo
          pkgs.rustc
        ]
        ++ layouts.nativeBuildInputs;
        buildPhase = ''
          runHook preBuild
          export LAB_SOURCES=$PWD CARGO_HOME=$NIX_BUILD_TOP/cargo CARGO_TARGET_DIR=$NIX_BUILD_TOP/target
          cd runners/rust
          ${lib.concatStrings (
            lib.mapAttrsToList (path: value: ''
              install -D -m 644 ${builtins.toFile "Cargo.toml" (toTOML value)} ${path}
            '') (crates.workspaceOf manifests)
          )}
          cp --no-preserve=mode ${lock} Cargo.lock
          # Like everything in the store, so that nothing is newer than what was made from it.
          find "$LAB_SOURCES" -exec touch --no-dereference --date=@1 {} +
          mkdir "$CARGO_HOME" "$CARGO_TARGET_DIR"
          sed 's|cargo-vendor-dir|${vendored}|' ${vendored}/.cargo/config.toml > "$CARGO_HOME/config.toml"
          for layer in $layers; do
            cp --recursive --preserve=timestamps --force "$layer/." "$CARGO_TARGET_DIR"
            chmod --recursive u+w "$CARGO_TARGET_DIR"
          done
          ${lib.optionalString stdenv.hostPlatform.isLinux "export CARGO_TARGET_${target}_LINKER=${keepObjects}"}
          export CARGO_BUILD_JOBS="$NIX_BUILD_CORES"
          # Not --locked: Cargo takes out of its lock file what this workspace doesn't need.
          RUSTC_WRAPPER=${rustc} WIRELAB_LOCK=${lock} cargo build --release --offline --config "build.rustflags=${flags}" -p ${package}
          pinned() { grep '^checksum = ' "$1" | sort; }
          if [ -n "$(comm -13 <(pinned ${lock}) <(pinned Cargo.lock))" ]; then
            echo "Cargo took another crate than runners/rust/Cargo.lock pins:"
            diff <(pinned ${lock}) <(pinned Cargo.lock)
          fi
          runHook postBuild
        '';
        # Cargo's profile says what is stripped; hardening is for C.
        dontStrip = true;
        hardeningDisable = [ "all" ];
      }
      // removeAttrs asked [
        "package"
        "folders"
        "manifests"
      ]
    );

  # What Cargo leaves of a build of what a manifest depends on, without what it took over.
  compiled =
    manifest: layers:
    let
      name = "dependencies";
      # Nothing but what decides how they are built, so that codecs with equal dependencies share it.
      own = {
        package = {
          inherit name;
          version = "0.0.0";
          edition = "2024";
        };
      }
      // tablesOf manifest;
      folders = crates.closure (crates.pathsOf (workspace + "/codecs/${name}") own);
    in
    build {
      name = "rust-dependencies";
      package = name;
      inherit folders layers;
      manifests = crates.manifestsOf folders // {
        "codecs/${name}" = own;
      };
      preBuild = ''
        mkdir -p runners/rust/codecs/${name}/src
        touch runners/rust/codecs/${name}/src/lib.rs
      '';
      installPhase = ''
        runHook preInstall
        mkdir "$out"
        cd "$CARGO_TARGET_DIR"
        for entry in release/{.fingerprint,build,deps}/*; do
          for layer in $layers; do
            if [ -e "$layer/$entry" ]; then continue 2; fi
          done
          case $(basename "$entry") in
            ${name}-* | lib${name}-*) continue ;;
          esac
          mkdir -p "$out/$(dirname "$entry")"
          mv "$entry" "$out/$entry"
        done
        runHook postInstall
      '';
      dontFixup = true;
      passthru = { inherit layers; };
      meta.description = "What Cargo compiles for Wirelab's runners before their own code";
    };
  # A step and all that it took over.
  withLayers = step: lib.unique (lib.concatMap withLayers step.layers ++ [ step ]);

  tablesOf = manifest: lib.getAttrs (lib.filter (table: manifest ? ${table}) crates.tables) manifest;

  common.dependencies = {
    wirelab-kit.workspace = true;
    wirelab-messages.workspace = true;
  };
  kit = compiled common [ ];
  # The library crates among some crates, as the codecs use them: with the kit's default features.
  libraries =
    folders:
    lib.concatMap (
      folder:
      let
        others = lib.filter (one: one != folder) (crates.closure [ folder ]);
        name = (crates.manifest folder).package.name;
        library = compiled {
          dependencies = common.dependencies // {
            ${name}.path = "../../libraries/${baseNameOf folder}";
          };
        } (lib.unique (withLayers kit ++ libraries others));
      in
      withLayers library
    ) (lib.filter crates.isLibrary folders);

  runner =
    codec:
    let
      folder = workspace + "/codecs/${codec}";
      folders = crates.closure [ folder ];
      manifest = crates.manifest folder;
      inherit (manifest.package) name;
      before = lib.unique (withLayers kit ++ libraries folders);
    in
    build {
      pname = "runner-rust-${codec}";
      version = crates.root.workspace.package.version;
      package = name;
      inherit folders;
      manifests = crates.manifestsOf folders;
      layers = before ++ lib.optional (tablesOf manifest != common) (compiled manifest before);
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
      disallowedReferences = [
        types
        vendored
      ];
      env.NIX_NO_SELF_RPATH = "1"; # the program's own path in it, though it has no libraries there
      meta = {
        description = "Wirelab's runner of the codec rust/${codec}";
        license = lib.licenses.asl20;
        mainProgram = name;
      };
    };
in
lib.genAttrs (lib.attrNames (builtins.readDir (workspace + "/codecs"))) runner
