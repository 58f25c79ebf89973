import { Option } from "effect"
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import type { AppId } from "../../domain/access/Ids.ts"

/** Bytes of an AES-256 key. */
export const KEY_BYTES = 32

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Prefix of sealed secrets. Secrets without it are plain text, stored by a release before there were keys. */
const SEALED = "aes256gcm"

interface Key {
  /** Part of a hash. Sealed secrets name their key by it, and it does not reveal the key. */
  readonly id: string
  readonly bytes: Buffer
}

const keyOf = (bytes: Buffer): Key => ({
  id: createHash("sha256").update("sealing key ").update(bytes).digest("hex").slice(0, 16),
  bytes
})

/** Additional authenticated data: a secret does not open in the row of another app. */
const boundTo = (app: AppId) => Buffer.from(`webhook secret ${app}`)

/** Encryption of the secrets in the database. */
export interface Sealing {
  /** Encrypts a secret for storage. */
  readonly seal: (app: AppId, secret: string) => string
  /** Decrypts a stored secret. Returns none if it was sealed with another key or for another app, or is damaged. */
  readonly open: (app: AppId, stored: string) => Option.Option<string>
  /** True if the secret is sealed with the current key. */
  readonly isCurrent: (stored: string) => boolean
}

const decrypt = (key: Buffer, app: AppId, box: Buffer) => {
  const decipher = createDecipheriv(ALGORITHM, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(boundTo(app))
  decipher.setAuthTag(box.subarray(-TAG_BYTES))
  return decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
}

/**
 * Seals with AES-256-GCM and a random nonce: `aes256gcm.<key id>.<nonce, ciphertext and tag in base64url>`. `current`
 * seals; all keys open.
 */
export const makeSealing = (current: Buffer, ...others: ReadonlyArray<Buffer>): Sealing => {
  const sealing = keyOf(current)
  const keys = new Map([current, ...others].map(keyOf).map(({ bytes, id }) => [id, bytes]))

  return {
    seal: (app, secret) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, sealing.bytes, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(boundTo(app))
      const box = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
      return `${SEALED}.${sealing.id}.${box.toString("base64url")}`
    },

    open: (app, stored) => {
      const [format, id = "", box = ""] = stored.split(".")
      if (format !== SEALED) return Option.some(stored)
      const key = keys.get(id)
      return key === undefined
        ? Option.none()
        : Option.liftThrowable(() => decrypt(key, app, Buffer.from(box, "base64url")))()
    },

    isCurrent: (stored) => stored.startsWith(`${SEALED}.${sealing.id}.`)
  }
}
