# A stand-in for nixpkgs, so that the flake can be evaluated where there is none: as much of it as the flake uses. Every
# package says on stderr that it was asked for; derivations are plain sets that keep what they were asked to be, and a
# store path is another one where anything of that is.
{
  rustVersion ? "1.95.0",
  uvVersion ? "0.11.3",
  clangVersion ? "21.1.8",
  lldVersion ? "21.1.8",
  pythonVersion ? "3.13.13",
  hyperfineVersion ? "1.20.0",
}:
let
  inherit (builtins) concatMap listToAttrs mapAttrs;
  systems = [
    "x86_64-linux"
    "aarch64-linux"
    "aarch64-darwin"
  ];

  lib = builtins // rec {
    importTOML = path: builtins.fromTOML (builtins.readFile path);
    importJSON = path: builtins.fromJSON (builtins.readFile path);
    unique = builtins.foldl' (seen: one: if builtins.elem one seen then seen else seen ++ [ one ]) [ ];
    getVersion = package: package.version;
    concatStrings = builtins.concatStringsSep "";
    hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;
    hasInfix = part: text: builtins.replaceStrings [ part ] [ "" ] text != text;
    findFirst =
      test: default: list:
      let
        found = builtins.filter test list;
      in
      if found == [ ] then default else builtins.head found;
    getAttrs = names: set: genAttrs names (name: set.${name});
    genAttrs' = names: pair: listToAttrs (map pair names);
    nameValuePair = name: value: { inherit name value; };
    genAttrs = names: value: listToAttrs (map (name: nameValuePair name (value name)) names);
    filterAttrs = test: set: listToAttrs (filterList (pair: test pair.name pair.value) (pairs set));
    pairs = mapAttrsToList nameValuePair;
    filterList = builtins.filter;
    mapAttrs' = change: set: listToAttrs (mapAttrsToList change set);
    mapAttrsToList = change: set: map (name: change name set.${name}) (builtins.attrNames set);
    concatMapAttrs =
      change: set: builtins.foldl' (all: one: all // one) { } (mapAttrsToList change set);
    toUpper = builtins.replaceStrings (letters "abcdefghijklmnopqrstuvwxyz") (
      letters "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    );
    letters =
      text: builtins.genList (place: builtins.substring place 1 text) (builtins.stringLength text);
    concatMapStrings = concatMapStringsSep "";
    escapeShellArgs = words: builtins.concatStringsSep " " (map (word: "'${word}'") words);
    concatMapStringsSep =
      between: change: list:
      builtins.concatStringsSep between (map change list);
    splitString = between: text: builtins.filter builtins.isString (builtins.split "[${between}]" text);
    removePrefix = prefix: text: builtins.substring (builtins.stringLength prefix) (-1) text;
    toInt = builtins.fromJSON;
    imap0 =
      change: list:
      builtins.genList (place: change place (builtins.elemAt list place)) (builtins.length list);
    optional = condition: value: if condition then [ value ] else [ ];
    optionalString = condition: text: if condition then text else "";
    optionals = condition: values: if condition then values else [ ];
    optionalAttrs = condition: set: if condition then set else { };
    assertMsg = condition: message: condition || throw message;
    getExe = package: "${package}/bin/${package.meta.mainProgram}";
    versions.minor = version: builtins.elemAt (builtins.splitVersion version) 1;
    strings.sanitizeDerivationName = name: name;
    licenses.asl20 = "Apache-2.0";
    fileset = rec {
      unions = concatMap files;
      fileFilter = test: folder: builtins.filter (path: test (fileOf path)) (files folder);
      fileOf = path: rec {
        name = baseNameOf path;
        hasExt = extension: builtins.match ".*\\.${extension}" name != null;
      };
      files =
        of:
        if builtins.isList of then
          of
        else if !builtins.pathExists of then
          throw "${toString of} is in a file set, but there is no such file"
        else if (builtins.readDir (dirOf of)).${baseNameOf of} == "directory" then
          concatMap (name: files (of + "/${name}")) (builtins.attrNames (builtins.readDir of))
        else
          [ of ];
      toSource =
        { root, fileset }:
        made "source" {
          files = map (path: removePrefix "${toString root}/" (toString path)) (files fileset);
          contents = map (builtins.hashFile "sha256") (files fileset);
        };
    };
  };

  made =
    name: asked:
    asked
    // (asked.passthru or { })
    // {
      type = "derivation";
      inherit name;
      drvPath = "${(made name asked).outPath}.drv";
      outPath = "/nix/store/${
        builtins.substring 0 32 (builtins.hashString "sha256" (builtins.toJSON asked))
      }-${name}";
      overrideAttrs = change: made ((change asked).name or name) (asked // change asked);
    };

  pkgsFor =
    system:
    let
      stdenvWith = cc: {
        inherit cc;
        hostPlatform = {
          inherit system;
          isLinux = builtins.match ".*-linux" system != null;
          parsed.cpu.name = builtins.head (builtins.split "-" system);
        };
        mkDerivation = asked: made (asked.name or "${asked.pname}-${asked.version}") asked;
      };
    in
    mapAttrs (name: value: builtins.trace "asked of nixpkgs: ${name}" value) (
      lib.genAttrs [
        "actionlint"
        "bash"
        "clippy"
        "cargo-deny"
        "cmake"
        "coreutils"
        "git"
        "jq"
        "makeBinaryWrapper"
        "ninja"
        "nixfmt"
        "nixfmt-tree"
        "rustfmt"
        "shellcheck"
        "valgrind"
        "xz"
        "zizmor"
        "zlib"
      ] (name: made name { meta.mainProgram = name; })
      // {
        inherit lib;
        uv = made "uv" { version = uvVersion; };
        cargo = made "cargo" { version = rustVersion; };
        rustc = made "rustc" { version = rustVersion; };
        hyperfine = made "hyperfine" { version = hyperfineVersion; };
        python313 = made "python3" {
          version = pythonVersion;
          interpreter = "/nix/store/python3/bin/python3.13";
        };
        autoPatchelfHook = made "auto-patchelf-hook" { };
        runtimeShell = "/nix/store/bash/bin/bash";
        stdenv = stdenvWith (made "cc" { cc.lib = made "cc-lib" { }; });
        llvmPackages = {
          libcxxStdenv = stdenvWith (made "clang" { version = clangVersion; });
          bintools = made "lld" { version = lldVersion; };
        };
        rustPlatform.importCargoLock = asked: made "cargo-vendor-dir" asked;
        fetchurl =
          asked:
          if builtins.match "[0-9a-f]{64}" asked.sha256 == null then
            throw "${asked.url}: ${asked.sha256} is no SHA-256"
          else
            made asked.name asked;
        fetchCrate = asked: made "${asked.crateName}-${asked.version}" asked;
        linkFarm =
          name: entries:
          let
            paths =
              if builtins.isList entries then map (entry: entry.path) entries else builtins.attrValues entries;
          in
          builtins.deepSeq (map (path: "${path}") paths) (made name { inherit entries; });
        closureInfo = asked: made "closure-info" asked;
        symlinkJoin = asked: made asked.name asked;
        runCommand =
          name: asked: command:
          made name (asked // { inherit command; });
        writeShellScript = name: text: made name { inherit text; };
        writeText = name: text: builtins.seq text (made name { inherit text; });
        writeTextDir = name: text: builtins.seq text (made (baseNameOf name) { inherit text; });
        writeShellApplication = asked: made asked.name (asked // { meta.mainProgram = asked.name; });
        mkShell = asked: made "shell" asked;
        dockerTools = {
          buildLayeredImage = asked: made asked.name asked;
          fakeNss = made "fake-nss" { };
        };
      }
    );
in
{
  inherit lib;
  legacyPackages = lib.genAttrs systems pkgsFor;
}
