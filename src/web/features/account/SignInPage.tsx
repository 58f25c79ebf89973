import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useState } from "react"
import { useRouter, useSearch } from "@tanstack/react-router"
import { signIn, type SignedIn } from "../../shared/data/service.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { TextField } from "../../shared/ui/form/Field.tsx"
import css from "./Account.module.css"
import { accountTexts } from "./accountTexts.ts"

/** State of a sign-in form. */
export const useSignIn = (onSignedIn: (account: SignedIn) => void, knownEmail = "") => {
  const [email, setEmail] = useState(knownEmail)
  const [password, setPassword] = useState("")
  const { error, isPending, mutate } = useMutation({ mutationFn: signIn, onSuccess: onSignedIn })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending) mutate({ email, password })
  }
  return { email, setEmail, password, setPassword, error, isPending, submit }
}

/** Fields and button of a sign-in form. The error does not reveal which accounts exist. */
export const SignInFields = ({
  email,
  error,
  isPending,
  password,
  setEmail,
  setPassword
}: Omit<ReturnType<typeof useSignIn>, "submit">) => (
  <>
    {error === null ? undefined : (
      <p className={css["error"]} role="alert">
        {error.message}
      </p>
    )}
    <TextField
      label={accountTexts.email}
      type="email"
      autoComplete="username"
      value={email}
      onChange={({ target }) => setEmail(target.value)}
    />
    <TextField
      label={accountTexts.password}
      type="password"
      autoComplete="current-password"
      data-initial-focus={email === "" ? undefined : true}
      value={password}
      onChange={({ target }) => setPassword(target.value)}
    />
    <Button kind="strong" type="submit" isBusy={isPending}>
      {accountTexts.signIn}
    </Button>
  </>
)

interface SignInFormProps {
  readonly title: string
  readonly onSignedIn: () => void
  /** Content below the form, such as a link to sign up. */
  readonly below?: ReactNode
}

/** Sign-in page. */
export const SignInForm = ({ below, onSignedIn, title }: SignInFormProps) => {
  const queryClient = useQueryClient()
  const { submit, ...signingIn } = useSignIn(() => {
    // Cached data belongs to the previous account.
    queryClient.clear()
    onSignedIn()
  })
  return (
    <main className={css["page"]}>
      <form className={css["card"]} onSubmit={submit} noValidate>
        <h1>{title}</h1>
        <SignInFields {...signingIn} />
        {below}
      </form>
    </main>
  )
}

/** Signs a merchant in, then returns to the page that was requested. */
export const SignInPage = () => {
  const { back = "/dashboard" } = useSearch({ from: "/dashboard/sign-in" })
  const router = useRouter()
  return <SignInForm title={accountTexts.signIn} onSignedIn={() => router.history.push(back)} />
}
