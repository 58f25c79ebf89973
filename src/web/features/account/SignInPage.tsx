import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useState } from "react"
import { useRouter, useSearch } from "@tanstack/react-router"
import { signIn } from "../../shared/data/service.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { TextField } from "../../shared/ui/form/Field.tsx"
import css from "./Account.module.css"
import { accountTexts } from "./accountTexts.ts"

interface SignInFormProps {
  readonly title: string
  readonly onSignedIn: () => void
  /** Content below the form, such as a link to sign up. */
  readonly below?: ReactNode
}

/** Sign-in form. The error does not reveal which accounts exist. */
export const SignInForm = ({ below, onSignedIn, title }: SignInFormProps) => {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const queryClient = useQueryClient()
  const signingIn = useMutation({
    mutationFn: signIn,
    onSuccess: () => {
      // Cached data belongs to the previous account.
      queryClient.clear()
      onSignedIn()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signingIn.mutate({ email, password })
  }
  return (
    <main className={css["page"]}>
      <form className={css["card"]} onSubmit={submit} noValidate>
        <h1>{title}</h1>
        {signingIn.error === null ? undefined : (
          <p className={css["error"]} role="alert">
            {signingIn.error.message}
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
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <Button kind="strong" type="submit" isBusy={signingIn.isPending}>
          {accountTexts.signIn}
        </Button>
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
