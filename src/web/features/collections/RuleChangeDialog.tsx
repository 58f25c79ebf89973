import { Effect } from "effect"
import { useEffect } from "react"
import type { Collection, UpdateCollection } from "../../../domain/catalog/Collection.ts"
import { canonical } from "../../../domain/json/Json.ts"
import { isOutdated } from "../../shared/data/errorMessages.ts"
import { newIdempotencyKey, useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { ErrorNotice, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { Tabs } from "../../shared/ui/layout/Tabs.tsx"
import { VirtualProductList } from "./ProductList.tsx"
import { membershipDiff } from "./collectionDraft.ts"
import { collectionTexts } from "./collectionTexts.ts"

interface RuleChangeDialogProps {
  readonly base: Collection
  readonly patch: UpdateCollection
  readonly close: () => void
  readonly save: () => void
  /** Called when another user saved the collection meanwhile. */
  readonly onOutdated: () => void
  readonly isSaving: boolean
  readonly error: unknown
}

/** Shows the dry run of a rule change before it is saved. */
export const RuleChangeDialog = ({ base, close, error, isSaving, onOutdated, patch, save }: RuleChangeDialogProps) => {
  const storeId = useStoreId()
  const { id, version } = base
  const query = useRpcQuery([storeId, "products", "dryRun", id, version, canonical(patch)], (client) =>
    Effect.all({
      now: client.collections.get({ storeId, id }),
      dryRun: client.collections.update({
        storeId,
        id,
        patch,
        expectedVersion: version,
        idempotencyKey: newIdempotencyKey(),
        dryRun: true
      })
    })
  )
  const isConflict = isOutdated(query.error)
  useEffect(() => {
    if (isConflict) onOutdated()
  }, [isConflict, onOutdated])
  return (
    <Dialog title={collectionTexts.review.title} isOpen close={close} isWide>
      <QueryBoundary query={query} lines={6}>
        {({ now, dryRun }) =>
          "dryRun" in dryRun ? (
            <MembershipChanges
              before={now.productIds}
              after={dryRun.resource.productIds}
              apps={notifiedApps(dryRun.events)}
            />
          ) : undefined
        }
      </QueryBoundary>
      {error === null ? undefined : <ErrorNotice error={error} />}
      <Row>
        <Button kind="strong" onClick={save} isBusy={isSaving} disabled={query.data === undefined}>
          {collectionTexts.review.save}
        </Button>
        <Button onClick={close}>{collectionTexts.conflict.continueEditing}</Button>
      </Row>
    </Dialog>
  )
}

const notifiedApps = (
  events: ReadonlyArray<{ readonly recipients: ReadonlyArray<{ readonly appName: string }> }>
): ReadonlyArray<string> => [...new Set(events.flatMap(({ recipients }) => recipients.map(({ appName }) => appName)))]

interface MembershipChangesProps {
  readonly before: Collection["productIds"]
  readonly after: Collection["productIds"]
  /** Apps that receive an event. */
  readonly apps: ReadonlyArray<string>
}

const MembershipChanges = ({ after, before, apps }: MembershipChangesProps) => {
  const { added, removed } = membershipDiff(before, after)
  const tabs = [
    {
      name: collectionTexts.review.added(added.length),
      ids: added,
      label: collectionTexts.review.addedProducts,
      none: collectionTexts.review.noneAdded
    },
    {
      name: collectionTexts.review.removed(removed.length),
      ids: removed,
      label: collectionTexts.review.removedProducts,
      none: collectionTexts.review.noneRemoved
    }
  ].toSorted((a, b) => Number(b.ids.length > 0) - Number(a.ids.length > 0))
  return (
    <Stack>
      <p>
        {added.length + removed.length === 0
          ? collectionTexts.review.unchanged(after.length)
          : collectionTexts.review.changed(before.length, after.length)}
      </p>
      <Tabs
        label={collectionTexts.review.tabs}
        tabs={tabs.map(({ ids, label, name, none }) => ({
          name,
          panel: ids.length === 0 ? <MutedText>{none}</MutedText> : <VirtualProductList ids={ids} label={label} />
        }))}
      />
      {apps.length === 0 ? undefined : <MutedText>{collectionTexts.review.notifiedApps(apps.join(", "))}</MutedText>}
    </Stack>
  )
}
