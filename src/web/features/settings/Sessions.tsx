import { ago, type Dates, useDates } from "../../shared/data/format.ts"
import { useQuery } from "@tanstack/react-query"
import type { SessionSummary } from "../../../domain/access/Sessions.ts"
import type { SessionId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { browserName } from "./localeNames.ts"
import { sessionsQuery } from "./settingsQueries.ts"
import css from "./Settings.module.css"
import { settingsTexts } from "./settingsTexts.ts"

interface Session extends SessionSummary {
  readonly isCurrent: boolean
}

const columnsOf = (
  { time }: Dates,
  ending: SessionId | undefined,
  end: (session: SessionId) => void
): ReadonlyArray<Column<Session>> => [
  {
    name: settingsTexts.sessions.browser,
    cell: ({ address, createdAt, isCurrent, userAgent }) => (
      <>
        <span className={css["name"]}>
          {browserName(userAgent)}
          {isCurrent ? <Badge tone="accent">{settingsTexts.sessions.thisBrowser}</Badge> : undefined}
        </span>
        <MutedText>{settingsTexts.sessions.signedIn(time(createdAt), address)}</MutedText>
      </>
    )
  },
  { name: settingsTexts.sessions.lastUsed, cell: ({ seenAt }) => <span className={css["when"]}>{ago(seenAt)}</span> },
  {
    name: settingsTexts.sessions.endColumn,
    isNameHidden: true,
    cell: ({ createdAt, isCurrent, sessionId, userAgent }) =>
      isCurrent ? undefined : (
        <Button
          kind="quiet"
          aria-label={settingsTexts.sessions.endSession(browserName(userAgent), time(createdAt))}
          isBusy={ending === sessionId}
          onClick={() => end(sessionId)}
        >
          {settingsTexts.sessions.end}
        </Button>
      )
  }
]

/** Sessions of the signed-in account, with a button to end each of them. */
export const Sessions = () => {
  const dates = useDates()
  const query = useQuery(sessionsQuery)
  const end = useRpcMutation({
    write: (client, sessionId: SessionId) => client.sessions.end({ sessionId }),
    invalidates: [sessionsQuery.queryKey],
    onSuccess: () => toast(settingsTexts.sessions.ended)
  })
  return (
    <Card title={settingsTexts.sessions.title}>
      {end.error === null ? undefined : <ErrorNotice error={end.error} />}
      <QueryBoundary query={query}>
        {(sessions) => (
          <Table
            caption={settingsTexts.sessions.caption}
            rows={sessions}
            keyOf={({ sessionId }) => sessionId}
            columns={columnsOf(dates, end.isPending ? end.variables : undefined, end.mutate)}
          />
        )}
      </QueryBoundary>
      <MutedText>{settingsTexts.sessions.advice}</MutedText>
    </Card>
  )
}
