import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import { type InstallationAct, InstallationState, stateAfter } from "../../../src/domain/access/InstallationState.ts"

/** What each act makes of what is active, suspended and uninstalled; null where it is refused. */
const EXPECTED = [
  ["install", ["active", "active", "active"]],
  ["suspend", ["suspended", "suspended", null]],
  ["resume", ["active", "active", null]],
  ["uninstall", ["uninstalled", "uninstalled", null]]
] as const satisfies ReadonlyArray<readonly [InstallationAct, ReadonlyArray<InstallationState | null>]>

it.each(EXPECTED)("%s leads from each state to one, or is refused", (act, expected) => {
  const reached = InstallationState.literals.map((state) => Option.getOrNull(stateAfter(state, act)))
  assert.deepStrictEqual(reached, [...expected])
})
