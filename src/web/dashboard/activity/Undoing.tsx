import type { ReactNode } from "react"
import type { IdempotencyKey } from "../../../domain/Idempotency.ts"
import { ChangedSince } from "../../../domain/journal/Undo.ts"
import { type Client, performed } from "../../../rpc/Client.ts"
import { newIdempotencyKey, useRpcQuery, useRpcMutation } from "../../data/queries.ts"
import { requireDryRun } from "../../data/dryRun.ts"
import { Button } from "../../ui/Button.tsx"
import { MutedText, Row, Stack } from "../../ui/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../ui/QueryBoundary.tsx"
import { useStoreId } from "../Store.ts"
import type { NamedEntry } from "./Entries.ts"
import { InTheWay } from "./InTheWay.tsx"
import { consequences, type Tried } from "./Undos.ts"
import { useUndone } from "./useUndone.ts"

interface How {
  readonly idempotencyKey: IdempotencyKey
  readonly dryRun?: true
}

interface UndoingProps {
  /** What is to be undone, by what tells it from all else. */
  readonly named: ReadonlyArray<string>
  readonly undo: (client: Client, how: How) => ReturnType<Client["activity"]["undo" | "undoSpan"]>
  /** Says what it would do. */
  readonly children: (tried: Tried) => ReactNode
  readonly labelOf: (changes: number) => string
  readonly close: () => void
  /** Asks about an entry that stands in the way instead. */
  readonly choose?: (entry: NamedEntry) => void
}

/** What an undo would do is tried first and said; then it is done: all of it or nothing. */
export const Undoing = ({ children, choose, close, labelOf, named, undo }: UndoingProps) => {
  const storeId = useStoreId()
  const tried = useRpcQuery([storeId, "activity", "tried", ...named], (client) =>
    requireDryRun(undo(client, { idempotencyKey: newIdempotencyKey(), dryRun: true }))
  )
  const undone = useUndone()
  const undoing = useRpcMutation({
    write: (client, _: void, idempotencyKey) => performed(undo(client, { idempotencyKey })),
    invalidates: [[storeId, "store"]],
    onSuccess: (answer) => {
      close()
      undone(answer)
    }
  })
  const { error } = undoing.error === null ? tried : undoing
  const many = tried.data?.resource.undone.length ?? 0
  return (
    <>
      {error instanceof ChangedSince ? (
        <InTheWay overlaps={error.overlaps} choose={choose} />
      ) : (
        <Stack>
          {undoing.error === null ? undefined : <ErrorNotice error={undoing.error} />}
          <QueryBoundary query={tried} lines={4}>
            {(rehearsal) => (
              <Stack>
                {children(rehearsal)}
                {many === 0
                  ? undefined
                  : consequences(rehearsal).map((sentence) => <MutedText key={sentence}>{sentence}</MutedText>)}
              </Stack>
            )}
          </QueryBoundary>
        </Stack>
      )}
      <Row>
        <Button
          kind="strong"
          disabled={many === 0 || tried.error !== null}
          isBusy={undoing.isPending}
          onClick={() => undoing.mutate()}
        >
          {labelOf(many)}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </Row>
    </>
  )
}
