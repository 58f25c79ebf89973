import { Effect } from "effect"
import { useEffect } from "react"
import type { Collection, UpdateCollection } from "../../../domain/catalog/Collection.ts"
import { canonical } from "../../../domain/Json.ts"
import { isOutdated } from "../../data/errorMessages.ts"
import { newIdempotencyKey, useRpcQuery } from "../../data/queries.ts"
import { count } from "../../data/Format.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { MutedText, Row, Stack } from "../../ui/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../ui/QueryBoundary.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { useStoreId } from "../Store.ts"
import { exchange } from "./Arrange.ts"
import { ProductList } from "./ProductList.tsx"

interface RehearsalProps {
  readonly base: Collection
  readonly patch: UpdateCollection
  readonly close: () => void
  readonly save: () => void
  /** Somebody else saved the collection meanwhile. */
  readonly outdated: () => void
  readonly isSaving: boolean
  readonly error: unknown
}

/** What would come of a change to the rules, before it is saved: the service takes the write and takes it back. */
export const Rehearsal = ({ base, close, error, isSaving, outdated, patch, save }: RehearsalProps) => {
  const storeId = useStoreId()
  const { id, version } = base
  const query = useRpcQuery([storeId, "products", "rehearsal", id, version, canonical(patch)], (client) =>
    Effect.all({
      now: client.collections.get({ storeId, id }),
      rehearsed: client.collections.update({
        storeId,
        id,
        patch,
        expectedVersion: version,
        idempotencyKey: newIdempotencyKey(),
        dryRun: true
      })
    })
  )
  const isLate = isOutdated(query.error)
  useEffect(() => {
    if (isLate) outdated()
  }, [isLate, outdated])
  return (
    <Dialog title="Review changes" isOpen close={close} isWide>
      <QueryBoundary query={query} lines={6}>
        {({ now, rehearsed }) =>
          "dryRun" in rehearsed ? (
            <Exchange before={now.productIds} after={rehearsed.resource.productIds} told={toldOf(rehearsed.events)} />
          ) : undefined
        }
      </QueryBoundary>
      {error === null ? undefined : <ErrorNotice error={error} />}
      <Row>
        <Button kind="strong" onClick={save} isBusy={isSaving} disabled={query.data === undefined}>
          {" "}
          Save collection{" "}
        </Button>
        <Button onClick={close}>Continue editing</Button>
      </Row>
    </Dialog>
  )
}

const toldOf = (
  events: ReadonlyArray<{ readonly recipients: ReadonlyArray<{ readonly appName: string }> }>
): ReadonlyArray<string> => [...new Set(events.flatMap(({ recipients }) => recipients.map(({ appName }) => appName)))]

interface ExchangeProps {
  readonly before: Collection["productIds"]
  readonly after: Collection["productIds"]
  /** Apps that are told of it. */
  readonly told: ReadonlyArray<string>
}

const Exchange = ({ after, before, told }: ExchangeProps) => {
  const { enters, leaves } = exchange(before, after)
  const tabs = [
    { name: `Added (${enters.length})`, ids: enters, label: "Added products", none: "No products are added." },
    { name: `Removed (${leaves.length})`, ids: leaves, label: "Removed products", none: "No products are removed." }
  ].toSorted((a, b) => Number(b.ids.length > 0) - Number(a.ids.length > 0))
  return (
    <Stack>
      <p>
        {enters.length + leaves.length === 0
          ? `The collection keeps the same ${count(after.length, "product")}.`
          : `The collection changes from ${count(before.length, "product")} to ${count(after.length, "product")}.`}
      </p>
      <Tabs
        label="Added and removed"
        tabs={tabs.map(({ ids, label, name, none }) => ({
          name,
          panel: ids.length === 0 ? <MutedText>{none}</MutedText> : <ProductList ids={ids} label={label} />
        }))}
      />
      {told.length === 0 ? undefined : <MutedText>{`Notified apps: ${told.join(", ")}.`}</MutedText>}
    </Stack>
  )
}
