import { type InstallationAct, type InstallationState, TRANSITIONS } from "../../domain/access/InstallationState.ts"
import { type Fragment, sql } from "../sql/Statement.ts"

/*
 * How installations stand, in SQL: of a table `installations` that is called `i`. An app that is uninstalled keeps its row,
 * for who installs it again. That a row is in one state alone is a constraint of the table.
 */

const IS: Record<InstallationState, Fragment> = {
  active: sql`i.is_active`,
  suspended: sql`(not i.is_active and i.uninstalled_at is null)`,
  uninstalled: sql`i.uninstalled_at is not null`
}

/** What a row in this state says. */
const SET: Record<InstallationState, Fragment> = {
  active: sql`is_active = true, uninstalled_at = null`,
  suspended: sql`is_active = false, uninstalled_at = null`,
  uninstalled: sql`is_active = false, uninstalled_at = clock_timestamp(), held_at = null`
}

/** The installations that there are: an app on the store, whether it is suspended or not. */
export const INSTALLED = sql`i.uninstalled_at is null`

export const STATE = sql`
  case when ${IS.active} then 'active' when ${IS.uninstalled} then 'uninstalled' else 'suspended' end
`

/** Which installations the act may be done with. */
export const mayBe = (act: InstallationAct): Fragment => sql.or(TRANSITIONS[act].from.map((state) => IS[state]))

/** What the act makes of them. */
export const made = (act: InstallationAct): Fragment => SET[TRANSITIONS[act].to]
