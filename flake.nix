{
  description = "Partner API: a shell with everything the npm scripts need";

  inputs.nixpkgs.url = "github:nixos/nixpkgs/nixpkgs-unstable";

  outputs =
    { nixpkgs, ... }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      shellOf =
        pkgs:
        pkgs.mkShell {
          packages = [
            pkgs.nodejs_24
            pkgs.postgresql_18
          ];

          # The binaries of the npm package do not run on NixOS.
          POSTGRES_BIN_DIR = "${pkgs.postgresql_18}/bin";
        };
    in
    {
      devShells = builtins.listToAttrs (
        map (system: {
          name = system;
          value.default = shellOf nixpkgs.legacyPackages.${system};
        }) systems
      );
    };
}
