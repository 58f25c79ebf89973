import { Option } from "effect"
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import type { AppId } from "../../domain/access/Apps.ts"

/** Bytes of a key. */
export const KEY_BYTES = 32

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What a sealed secret begins with. One that was kept before there were keys begins otherwise, and stands as it is. */
const SEALED = "aes256gcm"

interface Key {
  /** What a sealed secret tells of its key: nothing that the key could be found by. */
  readonly id: string
  readonly bytes: Buffer
}

const keyOf = (bytes: Buffer): Key => ({
  id: createHash("sha256").update("sealing key ").update(bytes).digest("hex").slice(0, 16),
  bytes
})

/** A secret belongs to its app: put into the row of another, it does not open. */
const boundTo = (app: AppId) => Buffer.from(`webhook secret ${app}`)

/** How secrets are sealed and opened that the database keeps. */
export interface Sealing {
  /** As it is kept. */
  readonly seal: (app: AppId, secret: string) => string
  /** The secret that is kept so; none where it was sealed with another key, or is not what was sealed. */
  readonly open: (app: AppId, kept: string) => Option.Option<string>
  /** Whether it is sealed with the key that seals now. */
  readonly isCurrent: (kept: string) => boolean
}

const opened = (key: Buffer, app: AppId, box: Buffer) => {
  const decipher = createDecipheriv(ALGORITHM, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(boundTo(app))
  decipher.setAuthTag(box.subarray(-TAG_BYTES))
  return decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
}

/**
 * AES-256-GCM with a random nonce: `aes256gcm.<id of the key>.<nonce, text and tag in base64url>`. The first key seals,
 * and opens as the others do.
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

    open: (app, kept) => {
      const [how, id = "", box = ""] = kept.split(".")
      if (how !== SEALED) return Option.some(kept)
      const key = keys.get(id)
      return key === undefined
        ? Option.none()
        : Option.liftThrowable(() => opened(key, app, Buffer.from(box, "base64url")))()
    },

    isCurrent: (kept) => kept.startsWith(`${SEALED}.${sealing.id}.`)
  }
}
