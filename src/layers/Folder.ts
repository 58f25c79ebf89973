import { chmodSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

/** Whether it was missing. Another process may make it at the same time. */
const make = (folder: string): boolean => {
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (isThere()) return false
  make(dirname(folder))
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (isThere()) return false
    throw error
  }
}

/**
 * Makes a folder that the server's account can enter, also under a umask of 077. An existing one is left alone. Missing
 * ones above it are made one by one: told to make them all, Node never ends where none can be made, as below `/proc`.
 */
export const makeFolder = (folder: string): void => {
  if (make(folder)) chmodSync(folder, 0o755)
}
