import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import { type InstallationAct, InstallationState, stateAfter } from "../../../src/domain/access/InstallationState.ts"

/** The state after each action, from active, suspended and uninstalled. Null is a rejected action. */
const EXPECTED = [
  ["install", ["active", "active", "active"]],
  ["suspend", ["suspended", "suspended", null]],
  ["resume", ["active", "active", null]],
  ["uninstall", ["uninstalled", "uninstalled", null]]
] as const satisfies ReadonlyArray<readonly [InstallationAct, ReadonlyArray<InstallationState | null>]>

it.each(EXPECTED)("the action %s leads to one next state or is rejected in every state", (action, expected) => {
  const nextStates = InstallationState.literals.map((state) => Option.getOrNull(stateAfter(state, action)))
  assert.deepStrictEqual(nextStates, [...expected])
})
