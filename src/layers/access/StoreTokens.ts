import { Option, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"
import { StoreId } from "../../domain/Store.ts"

/**
 * Prefix of each kind of token that belongs to a store. It tells people and secret scanners what was leaked: an access
 * token, a refresh token, an authorization code, the token of an agent, an invitation, or a reset link of an owner.
 */
export type StoreTokenPrefix = "pa_" | "pr_" | "pc_" | "agent_" | "invitation_" | "reset_"

const STORE_BYTES = 16
const SECRET_BYTES = 32
const CHECKSUM_BYTES = 4

/** A token of a store: its prefix, and 70 characters of base64url. */
const PATTERN = /^(pa_|pr_|pc_|agent_|invitation_|reset_)([\w-]{70})$/

const checksumOf = (prefix: string, content: Buffer): Buffer => {
  const checksum = Buffer.alloc(CHECKSUM_BYTES)
  checksum.writeUInt32BE(crc32(content, crc32(prefix)))
  return checksum
}

/**
 * Formats a token of a store: the prefix, then base64url of the store's id, 32 secret bytes and a CRC-32 of all before it.
 * Requests are routed by the store, and secret scanners recognize tokens by the checksum. Only the hash of the whole token
 * authenticates.
 */
export const formatStoreToken = (
  prefix: StoreTokenPrefix,
  store: StoreId,
  secret: Uint8Array = randomBytes(SECRET_BYTES)
): Redacted.Redacted => {
  const content = Buffer.concat([Buffer.from(store.replaceAll("-", ""), "hex"), secret])
  return Redacted.make(prefix + Buffer.concat([content, checksumOf(prefix, content)]).toString("base64url"))
}

/** Reads the store from a token. None if the token has another form, or its checksum is wrong. */
export const storeOfToken = (token: Redacted.Redacted): Option.Option<StoreId> => {
  const [, prefix, text] = PATTERN.exec(Redacted.value(token)) ?? []
  if (prefix === undefined || text === undefined) return Option.none()
  const bytes = Buffer.from(text, "base64url")
  const content = bytes.subarray(0, -CHECKSUM_BYTES)
  if (!checksumOf(prefix, content).equals(bytes.subarray(-CHECKSUM_BYTES))) return Option.none()
  const id = content.subarray(0, STORE_BYTES).toString("hex")
  return Option.some(StoreId.make(id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")))
}
