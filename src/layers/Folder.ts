import { chmodSync, mkdirSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname } from "node:path"

/** Creates a folder, and returns false if it exists. Another process may create it at the same time. */
const createIfMissing = (folder: string): boolean => {
  const exists = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (exists()) return false
  createIfMissing(dirname(folder))
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (exists()) return false
    throw error
  }
}

/**
 * Creates a folder that the account of the database server can enter, even under a umask of 077. An existing folder
 * does not change. Missing parents are created one by one, because `mkdir` with `recursive` does not return below
 * `/proc`.
 */
export const makeFolder = (folder: string): void => {
  if (createIfMissing(folder)) chmodSync(folder, 0o755)
}

/** Writes the data of a file, or the entries of a folder, to the disk. */
export const syncPath = async (path: string) => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
