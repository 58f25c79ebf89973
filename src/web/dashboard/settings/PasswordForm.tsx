import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { count } from "../../data/format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { TextField } from "../../ui/form/Field.tsx"
import { Card, Row, Stack } from "../../ui/layout/Page.tsx"
import { ErrorNotice } from "../../ui/display/QueryBoundary.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { useMember } from "../store.ts"
import { EMPTY_FORM, type Passwords, parsePasswords, type PasswordFormValues } from "./passwords.ts"
import { SESSIONS } from "./Sessions.tsx"
import css from "./Settings.module.css"

/** Changes the password of the signed-in account. */
export const PasswordForm = () => {
  const { email } = useMember()
  const [typed, setTyped] = useState(EMPTY_FORM)
  const [problems, setProblems] = useState<Partial<PasswordFormValues>>({})
  const changing = useRpcMutation({
    write: (client, passwords: Passwords) => client.account.changePassword(passwords),
    invalidates: [SESSIONS],
    onSuccess: ({ sessionsEnded }) => {
      setTyped(EMPTY_FORM)
      toast(`Password changed${sessionsEnded === 0 ? "" : `. ${count(sessionsEnded, "other session")} ended.`}`)
    }
  })
  const change = (event: FormEvent) => {
    event.preventDefault()
    const read = parsePasswords(typed)
    setProblems(Result.isFailure(read) ? read.failure : {})
    if (Result.isSuccess(read) && !changing.isPending) changing.mutate(read.success)
  }
  const field = (name: keyof PasswordFormValues) => ({
    type: "password",
    value: typed[name],
    problem: problems[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setTyped((before) => ({ ...before, [name]: target.value }))
  })
  return (
    <Card title="Change password">
      <form className={css["narrow"]} onSubmit={change} noValidate>
        <Stack>
          {changing.error === null ? undefined : <ErrorNotice error={changing.error} />}
          <TextField label="Account" type="email" autoComplete="username" value={email} readOnly />
          <TextField label="Current password" autoComplete="current-password" {...field("current")} />
          <TextField
            label="New password"
            hint="At least 12 characters. Changing it ends your other sessions."
            autoComplete="new-password"
            {...field("next")}
          />
          <TextField label="Confirm new password" autoComplete="new-password" {...field("again")} />
          <Row>
            <Button kind="strong" type="submit" isBusy={changing.isPending}>
              Change password
            </Button>
          </Row>
        </Stack>
      </form>
    </Card>
  )
}
