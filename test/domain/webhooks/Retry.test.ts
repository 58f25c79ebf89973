import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import * as FastCheck from "fast-check"
import { nextAttempt, RETRY_SECONDS, retryAfterSeconds } from "../../../src/domain/webhooks/Retry.ts"

const NOW = Date.parse("2026-01-01T00:00:00Z") / 1000
const read = (header: string | null) => retryAfterSeconds(header, NOW)

it("a delivery has 14 attempts in about 72 hours, with waits from 5 s to 20 h", () => {
  const waits = Array.from({ length: 14 }, (_, n) => Option.getOrNull(nextAttempt(n + 1, 0.5, 0)))
  assert.deepStrictEqual(waits, [5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 43200, 43200, 72000, null])
  assert.approximately(RETRY_SECONDS.reduce((sum, seconds) => sum + seconds, 0) / 3600, 72, 0.5)
})

it("each wait varies by up to 20%", () => {
  for (const [n, seconds] of RETRY_SECONDS.entries()) {
    assert.approximately(Option.getOrThrow(nextAttempt(n + 1, 0, 0)), seconds * 0.8, 1e-6)
    assert.approximately(Option.getOrThrow(nextAttempt(n + 1, 1, 0)), seconds * 1.2, 1e-6)
  }
})

it("Retry-After extends a wait to at most one day and never shortens it", () => {
  const failures = FastCheck.integer({ min: 1, max: 13 })
  const chance = FastCheck.double({ min: 0, max: 1, noNaN: true })
  const retryAfter = FastCheck.oneof(FastCheck.nat(1_000_000), FastCheck.constant(Number.POSITIVE_INFINITY))
  FastCheck.assert(
    FastCheck.property(failures, chance, retryAfter, (n, chance, requested) => {
      const backoff = Option.getOrThrow(nextAttempt(n, chance, 0))
      const wait = Option.getOrThrow(nextAttempt(n, chance, requested))
      assert.strictEqual(wait, Math.max(backoff, Math.min(requested, 86_400)))
    })
  )
})

it("Retry-After is parsed as seconds or a date, and other values are ignored", () => {
  assert.strictEqual(read("120"), 120)
  assert.strictEqual(read("120 \t"), 120)
  assert.strictEqual(read("0"), 0)
  assert.strictEqual(read("Thu, 01 Jan 2026 00:02:00 GMT"), 120)
  assert.strictEqual(read("Wed, 31 Dec 2025 23:59:00 GMT"), 0)
  for (const invalid of [null, "", "soon", "-5", "1.5", "99999999999 s", "NaN"])
    assert.strictEqual(read(invalid), 0, String(invalid))
})
