# The Python runners: each with an environment of its own wheels, packed as `./lab build` packs it.
{
  pkgs,
  wheels,
  types,
}:
let
  inherit (pkgs) lib;
  inherit (lib) fileset;
  workspace = ../runners/python;
  codecs = workspace + "/codecs";
  project = codec: lib.importTOML (codecs + "/${codec}/pyproject.toml");
  isAvailable = codec: wheels.isAvailable ((project codec).tool.wirelab.library or "");

  # The folders of the workspace members that a codec depends on, as pack.py takes them.
  members =
    codec:
    map (
      name:
      let
        member = lib.removePrefix "wirelab-" name;
      in
      if
        lib.elem member [
          "kit"
          "messages"
        ]
      then
        workspace + "/${member}"
      else
        workspace + "/libraries/${member}"
    ) (lib.attrNames (project codec).tool.uv.sources);

  runner =
    codec:
    let
      environment = wheels.environment {
        name = "python-${codec}";
        package = (project codec).project.name;
      };
    in
    pkgs.runCommand "runner-python-${codec}-${(project codec).project.version}"
      {
        src = fileset.toSource {
          root = ../.;
          fileset = fileset.unions (
            [
              (workspace + "/pack.py")
              (codecs + "/${codec}")
            ]
            ++ members codec
          );
        };
        passthru = {
          builtPart = "runners"; # the rest is wheels, and a script that holds its own path
          inherit environment;
        };
        meta = {
          description = "Wirelab's runner of the codec python/${codec}";
          license = lib.licenses.asl20;
          mainProgram = "codec-${codec}";
        };
      }
      ''
        cd "$src/runners/python"
        mkdir -p "$out/bin"
        ln -s ${environment} "$out/env"
        "$out/env/bin/python" pack.py codecs/${codec} "$out/runners/${codec}.pyz" ${types}/python \
          < ${environment}/requirements.txt
        cat > "$out/bin/codec-${codec}" <<END
        #!${pkgs.runtimeShell}
        exec $out/env/bin/python -s $out/runners/${codec}.pyz "\$@"
        END
        chmod +x "$out/bin/codec-${codec}"
      '';
in
lib.genAttrs (lib.filter isAvailable (lib.attrNames (builtins.readDir codecs))) runner
