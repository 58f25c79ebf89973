import { Effect } from "effect"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import type { StoreWebhook } from "../../../domain/webhooks/StoreWebhooks.ts"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import type { OrderSummary } from "../../../domain/records/OrderSummary.ts"
import { ago, type Dates } from "../../shared/data/format.ts"
import type { Tone } from "../../shared/ui/display/Values.tsx"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"
import { type NamedEntry, verbOf, groupRuns } from "../activity/entries.ts"
import { locale } from "../../shared/data/language.ts"
import { homeTexts } from "./homeTexts.ts"

/** Limit of apps, since each needs its own request. */
const MAX_APPS = 10

type App = typeof InstalledApp.Type
type Webhook = typeof StoreWebhook.Type

/** Loads the first apps of the store with their webhooks. */
export const listAppsWithWebhooks = (client: Client, storeId: StoreId) =>
  Effect.flatMap(client.installations.list({ storeId, limit: MAX_APPS }), ({ items, nextCursor }) =>
    Effect.map(
      Effect.forEach(
        items,
        (app) =>
          client.webhooks.get({ storeId, installationId: app.id }).pipe(
            Effect.map((webhook) => [{ app, webhook }]),
            // The app was uninstalled between the two requests.
            Effect.catchTag("InstallationNotFound", () => Effect.succeed([]))
          ),
        { concurrency: 4 }
      ),
      (apps) => ({ apps: apps.flat(), hasMore: nextCursor !== null })
    )
  )

/** Status of an app: suspension first, then the worst state of its webhook. */
export const appHealth = (
  { state }: Pick<App, "state">,
  webhook: Webhook,
  { time }: Dates
): readonly [word: string, tone: Tone] => {
  if (state === "suspended") return [homeTexts.apps.suspended, "warn"]
  if (webhook.host === null) return [webhookTexts.states.missing, "plain"]
  if (webhook.pausedAt !== null) return [homeTexts.apps.paused(ago(webhook.pausedAt)), "alert"]
  if (webhook.heldSince !== null) return [homeTexts.apps.paused(ago(webhook.heldSince)), "warn"]
  if (webhook.failingSince !== null) return [homeTexts.apps.failing(time(webhook.failingSince)), "alert"]
  if (webhook.testFailedAt !== null) return [homeTexts.apps.failing(time(webhook.testFailedAt)), "alert"]
  if (webhook.calledAt === null) return [webhookTexts.states.notCalled, "plain"]
  return [webhookTexts.states.healthy, "good"]
}

/** Consecutive changes of one kind by one actor, newest first. */
export interface ActivityGroup {
  readonly newest: NamedEntry
  readonly oldest: NamedEntry
  /** Number of different resources. */
  readonly resources: number
  readonly entries: number
}

/** Milliseconds between two changes that separate two jobs. */
const MAX_PAUSE = 10 * 60_000

/**
 * Names the job of a change: its change set, if it has one. Other changes with the same verb belong together if one actor made them on one surface for one
 * reason.
 */
const jobOf = (entry: NamedEntry) =>
  entry.changeSetId ??
  JSON.stringify([entry.actor, entry.surface, entry.reason, entry.approvedBy, entry.resource, verbOf(entry)])

const millisOf = ({ at }: NamedEntry) => Date.parse(at)

/**
 * Groups entries, which are sorted newest first, by actor and job. A group ends at a pause of {@link MAX_PAUSE}. Jobs that
 * run at the same time do not split each other's groups.
 */
export const groupActivity = (entries: ReadonlyArray<NamedEntry>): ReadonlyArray<ActivityGroup> =>
  groupRuns(
    entries,
    jobOf,
    (later, earlier) => later.changeSetId !== null || millisOf(later) - millisOf(earlier) <= MAX_PAUSE
  ).map((group) => ({
    newest: group[0],
    oldest: group.at(-1) ?? group[0],
    resources: new Set(group.map(({ resourceId }) => resourceId)).size,
    entries: group.length
  }))

/* Figures of the sales card. Days are those of the store, so no time zone of the browser applies to them. */

const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" })
const shortFormat = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" })

/** Date of a day such as `2026-01-31`, in the language of the browser. */
export const calendarDay = (date: string): string => dayFormat.format(new Date(date))

/** Day and month, for an axis. */
export const shortDay = (date: string): string => shortFormat.format(new Date(date))

/** Average total of an order; 0 without orders. */
export const averageOf = ({ orders, sales }: OrderSummary["current"]): number => (orders === 0 ? 0 : sales / orders)
