import packageJson from "../../package.json" with { type: "json" }

/** Version of the release that runs, from `package.json`. */
export const release: string = packageJson.version
