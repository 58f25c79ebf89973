import { useQuery } from "@tanstack/react-query"
import { Result } from "effect"
import { type FormEvent, useState } from "react"
import type { SessionSummary } from "../../../domain/access/Sessions.ts"
import type { SessionId } from "../../../rpc/Client.ts"
import { ago, type Dates, useDates } from "../../shared/data/format.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import { TextField } from "../../shared/ui/form/Field.tsx"
import { useMember } from "../../shared/data/store.ts"
import { browserName } from "./localeNames.ts"
import { sessionsQuery } from "./settingsQueries.ts"
import css from "./Settings.module.css"
import { settingsTexts } from "./settingsTexts.ts"
import { EMPTY_FORM, type Passwords, parsePasswords, type PasswordFormValues } from "./settingsForms.ts"

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

/** Changes the password of the signed-in account. */
export const PasswordForm = () => {
  const { email } = useMember()
  const [typed, setTyped] = useState(EMPTY_FORM)
  const [problems, setProblems] = useState<Partial<PasswordFormValues>>({})
  const changing = useRpcMutation({
    write: (client, passwords: Passwords) => client.account.changePassword(passwords),
    invalidates: [sessionsQuery.queryKey],
    onSuccess: ({ sessionsEnded }) => {
      setTyped(EMPTY_FORM)
      toast(settingsTexts.password.changed(sessionsEnded))
    }
  })
  const change = (event: FormEvent) => {
    event.preventDefault()
    const parsed = parsePasswords(typed)
    setProblems(Result.isFailure(parsed) ? parsed.failure : {})
    if (Result.isSuccess(parsed) && !changing.isPending) changing.mutate(parsed.success)
  }
  const field = (name: keyof PasswordFormValues) => ({
    type: "password",
    value: typed[name],
    problem: problems[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setTyped((before) => ({ ...before, [name]: target.value }))
  })
  return (
    <Card title={settingsTexts.password.title}>
      <SaveForm className={css["narrow"]} onSubmit={change}>
        <Stack>
          {changing.error === null ? undefined : <ErrorNotice error={changing.error} />}
          <TextField
            label={settingsTexts.password.account}
            type="email"
            autoComplete="username"
            value={email}
            readOnly
          />
          <TextField label={settingsTexts.password.current} autoComplete="current-password" {...field("current")} />
          <TextField
            label={settingsTexts.password.next}
            hint={settingsTexts.password.nextHint}
            autoComplete="new-password"
            {...field("next")}
          />
          <TextField label={settingsTexts.password.again} autoComplete="new-password" {...field("again")} />
          <Row>
            <Button kind="strong" type="submit" isBusy={changing.isPending}>
              {settingsTexts.password.title}
            </Button>
          </Row>
        </Stack>
      </SaveForm>
    </Card>
  )
}
