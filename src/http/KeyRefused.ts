import { Schema } from "effect"

/** A write without its `Idempotency-Key` (decisions, section 5). */
export class KeyMissing extends Schema.TaggedError<KeyMissing>()("KeyMissing", {}) {
  override get message() {
    return "missing_key"
  }

  get issues() {
    return ["Idempotency-Key: is required on every write; send one new key for each operation and the same on retries"]
  }
}

export class KeyMalformed extends Schema.TaggedError<KeyMalformed>()("KeyMalformed", {}) {
  override get message() {
    return "invalid_key"
  }

  get issues() {
    return ["Idempotency-Key: must be 1 to 255 visible ASCII characters"]
  }
}
