import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { fieldProblemsOf } from "../../shared/data/errorMessages.ts"
import {
  acceptInvitation,
  account,
  joinStore,
  readInvitation,
  readReset,
  resetPassword,
  signOut
} from "../../shared/data/service.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { TextField } from "../../shared/ui/form/Field.tsx"
import { SignInForm } from "./SignInPage.tsx"
import css from "./Account.module.css"
import { accountTexts } from "./accountTexts.ts"

const texts = accountTexts.links

/** Token of the link, from the fragment of the URL. */
const useToken = () => useState(() => location.hash.slice(1))[0]

interface FrameProps {
  readonly title: string
  readonly error: Error | null
  readonly submit?: () => void
  readonly children?: ReactNode
}

/** Frame of the pages that links open. An invalid field gets the focus and its own message. */
const Frame = ({ children, error, submit, title }: FrameProps) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [error])
  return (
    <main className={css["page"]}>
      <form
        ref={form}
        className={css["card"]}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          submit?.()
        }}
      >
        <h1>{title}</h1>
        {error === null || Object.keys(fieldProblemsOf(error)).length > 0 ? undefined : (
          <p className={css["error"]} role="alert">
            {error.message}
          </p>
        )}
        {children}
      </form>
    </main>
  )
}

interface PasswordProps {
  readonly value: string
  readonly error: Error | null
  readonly change: (value: string) => void
}

const NewPassword = ({ change, error, value }: PasswordProps) => (
  <TextField
    label={accountTexts.password}
    type="password"
    autoComplete="new-password"
    hint={accountTexts.passwordHint}
    problem={fieldProblemsOf(error)["password"]}
    value={value}
    onChange={({ target }) => change(target.value)}
  />
)

/** Accepts an invitation, with a new account or with the signed-in one. */
export const InvitationPage = () => {
  const token = useToken()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState({ name: "", password: "" })
  // The sign-in form clears the cache; the page reads its data again when it renders.
  const [, setSignIns] = useState(0)
  const offer = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => readInvitation(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY
  })
  const current = useQuery({ ...account, retry: false, enabled: offer.data?.hasAccount === true })
  const isInvited = current.data !== undefined && current.data.email === offer.data?.email
  const joining = useMutation({
    mutationFn: () => (offer.data?.hasAccount === true ? acceptInvitation(token) : joinStore({ token, ...typed })),
    onSuccess: ({ storeId }) => {
      // Cached data belongs to the previous account.
      queryClient.clear()
      void navigate({ to: "/dashboard/$storeId", params: { storeId } })
    }
  })
  const leaving = useMutation({ mutationFn: signOut, onSuccess: () => queryClient.resetQueries(account) })
  if (offer.data === undefined) return <Frame title={texts.invitation} error={offer.error} />
  const { email, hasAccount, role, storeName } = offer.data
  // The sign-in page would need the token in its URL, which the service logs.
  if (hasAccount && current.isError) {
    return (
      <SignInForm
        title={texts.join(storeName)}
        onSignedIn={() => setSignIns((before) => before + 1)}
        below={<p>{texts.signInFirst(email)}</p>}
      />
    )
  }
  const submit = () => (hasAccount && !isInvited ? undefined : joining.mutate())
  return (
    <Frame title={texts.join(storeName)} error={joining.error} submit={submit}>
      <p>{texts.offer(email, role)}</p>
      {hasAccount ? undefined : (
        <>
          <TextField label={accountTexts.email} type="email" autoComplete="username" value={email} readOnly />
          <TextField
            label={accountTexts.name}
            autoComplete="name"
            problem={fieldProblemsOf(joining.error)["name"]}
            value={typed.name}
            onChange={({ target }) => setTyped({ ...typed, name: target.value })}
          />
          <NewPassword
            value={typed.password}
            error={joining.error}
            change={(password) => setTyped({ ...typed, password })}
          />
        </>
      )}
      {!hasAccount || isInvited ? (
        <Button kind="strong" type="submit" isBusy={joining.isPending}>
          {texts.accept}
        </Button>
      ) : undefined}
      {isInvited || current.data === undefined ? undefined : (
        <>
          <p>{texts.otherAccount(current.data.email)}</p>
          <Button onClick={() => leaving.mutate()} isBusy={leaving.isPending}>
            {accountTexts.signOut}
          </Button>
        </>
      )}
    </Frame>
  )
}

/** Sets a new password. */
export const ResetPasswordPage = () => {
  const token = useToken()
  const queryClient = useQueryClient()
  const [password, setPassword] = useState("")
  const link = useQuery({
    queryKey: ["reset", token],
    queryFn: () => readReset(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY
  })
  // The session of this browser may have ended.
  const setting = useMutation({ mutationFn: resetPassword, onSuccess: () => queryClient.removeQueries(account) })
  if (link.data === undefined) return <Frame title={texts.reset} error={link.error} />
  if (setting.isSuccess) {
    return (
      <Frame title={texts.resetDone} error={null}>
        <p>
          {texts.resetDoneAdvice} <Link to="/dashboard/sign-in">{accountTexts.signIn}</Link>
        </p>
      </Frame>
    )
  }
  return (
    <Frame title={texts.reset} error={setting.error} submit={() => setting.mutate({ token, password })}>
      <p>{texts.resetAdvice}</p>
      <TextField label={accountTexts.email} type="email" autoComplete="username" value={link.data.email} readOnly />
      <NewPassword value={password} error={setting.error} change={setPassword} />
      <Button kind="strong" type="submit" isBusy={setting.isPending}>
        {texts.resetAction}
      </Button>
    </Frame>
  )
}
