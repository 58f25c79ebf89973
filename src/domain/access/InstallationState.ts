import { Option, Schema } from "effect"

/**
 * How an app stands on a store. `active`: its requests are admitted, and events are delivered to it. `suspended`: neither,
 * while it keeps its tokens and all that it has. `uninstalled`: as if it were not there; what it kept waits for who installs
 * it again, for a while.
 */
export const InstallationState = Schema.Literals(["active", "suspended", "uninstalled"])
export type InstallationState = typeof InstallationState.Type

interface Transition {
  readonly from: ReadonlyArray<InstallationState>
  readonly to: InstallationState
}

/**
 * What is done with an installation: from which states, and to which one. To suspend what is suspended, and to resume what
 * is active, leaves it so. Of what is uninstalled there is but one way: to install it again.
 */
export const TRANSITIONS = {
  install: { from: ["active", "suspended", "uninstalled"], to: "active" },
  suspend: { from: ["active", "suspended"], to: "suspended" },
  resume: { from: ["active", "suspended"], to: "active" },
  uninstall: { from: ["active", "suspended"], to: "uninstalled" }
} as const satisfies Record<string, Transition>
export type InstallationAct = keyof typeof TRANSITIONS

/** How an installation stands after an act, or none where it is refused as if there were no installation. */
export const stateAfter = (state: InstallationState, act: InstallationAct): Option.Option<InstallationState> => {
  const { from, to }: Transition = TRANSITIONS[act]
  return from.includes(state) ? Option.some(to) : Option.none()
}

/** Hours for which the app data of an installation is kept once it is uninstalled. */
export const DATA_HOURS = 48
