import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import { TextField } from "../../shared/ui/form/Field.tsx"
import { Card, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useMember } from "../../shared/data/store.ts"
import { EMPTY_FORM, type Passwords, parsePasswords, type PasswordFormValues } from "./passwords.ts"
import { sessionsQuery } from "./settingsQueries.ts"
import css from "./Settings.module.css"
import { settingsTexts } from "./settingsTexts.ts"

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
