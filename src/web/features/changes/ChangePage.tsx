import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { Time, StatusBadge } from "../../shared/ui/display/Values.tsx"
import type { ChangeSet } from "../../../domain/changeSets/ChangeSet.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { ErrorNotice, QueryBoundary, NotFoundPage } from "../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { CheckField } from "../../shared/ui/form/Field.tsx"
import { BackLink, Card, Facts, MutedText, Page, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import css from "./Changes.module.css"
import { headlineOf, isDeletion, titleOf } from "./changeSummary.ts"
import { changeTexts } from "./changeTexts.ts"
import { ChangedRows, Consequences, RefusedRows } from "./SetDetails.tsx"
import { isFinished, isRunning, useChangeSet, useChangeSetActions } from "./useChangeSets.ts"

const texts = changeTexts.page

const route = getRouteApi("/dashboard/member/$storeId/changes/$changeSetId")

/** One change set: its state, preview, refused rows and the next actions. */
export const ChangePage = () => {
  const { changeSetId, storeId } = route.useParams()
  const query = useChangeSet(changeSetId)
  if (query.data === undefined && isMissing(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data === undefined ? changeTexts.titles.other : titleOf(query.data)}
      above={
        <BackLink to="/dashboard/$storeId/changes" params={{ storeId }}>
          {texts.all}
        </BackLink>
      }
    >
      <QueryBoundary query={query} lines={8}>
        {(set) => <Details key={set.id} set={set} />}
      </QueryBoundary>
    </Page>
  )
}

const ChangeLink = ({ children, id }: { readonly id: ChangeSet["id"]; readonly children: string }) => (
  <Link to="/dashboard/$storeId/changes/$changeSetId" params={{ storeId: useStoreId(), changeSetId: id }}>
    {children}
  </Link>
)

const Details = ({ set }: { readonly set: ChangeSet }) => {
  const { applyAt, approvedBy, counts, createdAt, failure, finishedAt, note, preview, progress, state } = set
  const wasApplied = set.appliedAt !== null && isFinished(set)
  return (
    <Stack>
      <Card title={wasApplied ? texts.result : texts.preview}>
        <Stack>
          <output>
            <StatusBadge {...changeTexts.states[state]} />
          </output>
          {isRunning(set) ? (
            <>
              <progress
                className={css["progress"]}
                aria-label={texts.progress}
                max={progress.total}
                value={progress.done}
              />
              <p>{texts.progressOf(progress.done, progress.total)}</p>
            </>
          ) : undefined}
          {failure === null ? undefined : <p>{failure}</p>}
          {wasApplied ? (
            <>
              <p>{texts.done(counts.changed, counts.unchanged, counts.refused)}</p>
              {state === "applied" ? undefined : <MutedText>{texts.stopped}</MutedText>}
            </>
          ) : preview === null ? undefined : (
            <p>{headlineOf(set)}</p>
          )}
          <Consequences set={set} />
          <Actions set={set} />
        </Stack>
      </Card>
      {counts.refused === 0 || isRunning(set) ? undefined : (
        <Card title={texts.refused}>
          <RefusedRows set={set} />
        </Card>
      )}
      {counts.changed === 0 || isRunning(set) ? undefined : (
        <Card title={texts.rows}>
          <ChangedRows set={set} />
        </Card>
      )}
      <Card>
        <Facts
          facts={[
            [texts.by, <Author key="by" id={set.actor.id} />],
            ...(approvedBy === null ? [] : [[texts.approvedBy, <Author key="approved" id={approvedBy} />] as const]),
            [texts.created, <Time key="created" at={createdAt} />],
            ...(applyAt === null ? [] : [[texts.starts, <Time key="starts" at={applyAt} />] as const]),
            ...(finishedAt === null ? [] : [[texts.finished, <Time key="finished" at={finishedAt} />] as const]),
            ...(note === null ? [] : [[texts.note, note] as const])
          ]}
        />
      </Card>
    </Stack>
  )
}

const Author = ({ id }: { readonly id: string }) => {
  const storeId = useStoreId()
  const { data } = useRpcQuery([storeId, "names", id], (client) => client.activity.names({ storeId, ids: [id] }))
  return data?.[0]?.name ?? "—"
}

/** Buttons that the state of a set allows. */
const Actions = ({ set }: { readonly set: ChangeSet }) => {
  const { counts, id, state, undoes } = set
  const { apply, cancel, error, isPending, undo } = useChangeSetActions()
  const [overwrites, setOverwrites] = useState(false)
  const canOverwrite = state === "ready" && undoes !== null && counts.refused > 0
  const rows = counts.changed + (overwrites ? counts.refused : 0)
  const isBlocked = set.mode === "atomic" && counts.refused > 0 && !overwrites
  return (
    <>
      {error === null ? undefined : <ErrorNotice error={error} />}
      {canOverwrite ? (
        <CheckField
          label={texts.overwrite}
          hint={texts.overwriteHint}
          checked={overwrites}
          onChange={({ target }) => setOverwrites(target.checked)}
        />
      ) : undefined}
      {set.undoneBy === null ? undefined : <ChangeLink id={set.undoneBy}>{texts.undoneBy}</ChangeLink>}
      {undoes === null ? undefined : <ChangeLink id={undoes}>{texts.undoes}</ChangeLink>}
      <Row>
        {state === "ready" && rows > 0 && !isBlocked ? (
          <Button
            kind={isDeletion(set) ? "danger" : "strong"}
            isBusy={isPending}
            onClick={() => apply({ id, onConflict: overwrites ? "overwrite" : "skip" })}
          >
            {isDeletion(set) ? texts.delete(rows) : texts.apply(rows)}
          </Button>
        ) : undefined}
        {isFinished(set) ? undefined : (
          <Button isBusy={isPending} onClick={() => cancel(id)}>
            {state === "applying" ? texts.stop : state === "scheduled" ? texts.cancelSchedule : texts.discard}
          </Button>
        )}
        {isFinished(set) && set.appliedAt !== null && counts.changed > 0 && set.undoneBy === null ? (
          <Button isBusy={isPending} onClick={() => undo(id)}>
            {texts.undo}
          </Button>
        ) : undefined}
      </Row>
    </>
  )
}
