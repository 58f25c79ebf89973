import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { app, tokenFile } from "./settings.mjs"

const load = () => JSON.parse(readFileSync(tokenFile, "utf8"))

/** Whole or not at all, and for nobody but its owner. */
const save = (tokens) => {
  const half = `${tokenFile instanceof URL ? tokenFile.pathname : tokenFile}.new`
  writeFileSync(half, JSON.stringify(tokens), { mode: 0o600 })
  renameSync(half, tokenFile)
}

/** Token store of the client, which saves refreshed tokens. */
export const tokens = { app, load, save }

export const isInstalled = () => existsSync(tokenFile)
