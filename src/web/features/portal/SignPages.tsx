import { Link, useRouter, useSearch } from "@tanstack/react-router"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { SignInForm } from "../account/SignInPage.tsx"
import { accountTexts } from "../account/accountTexts.ts"
import css from "../account/Account.module.css"
import { fieldProblemsOf } from "../../shared/data/errorMessages.ts"
import { signUp } from "../../shared/data/service.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { TextField } from "../../shared/ui/form/Field.tsx"

/** Signs a developer in, then returns to the page that was requested. */
export const SignInPage = () => {
  const search = useSearch({ from: "/developers/sign-in" })
  const { back = "/developers" } = search
  const router = useRouter()
  return (
    <SignInForm
      title={accountTexts.signInAsDeveloper}
      onSignedIn={() => router.history.push(back)}
      below={
        <p>
          {accountTexts.noAccount}{" "}
          <Link to="/developers/sign-up" search={search}>
            {accountTexts.signUp}
          </Link>
        </p>
      }
    />
  )
}

const EMPTY_ACCOUNT = { name: "", email: "", password: "" }

/** Creates a developer account. Validation messages appear at their fields. */
export const SignUpPage = () => {
  const search = useSearch({ from: "/developers/sign-up" })
  const { back = "/developers" } = search
  const router = useRouter()
  const queryClient = useQueryClient()
  const [account, setAccount] = useState(EMPTY_ACCOUNT)
  const form = useRef<HTMLFormElement>(null)
  const signingUp = useMutation({
    mutationFn: signUp,
    onSuccess: () => {
      // Cached data belongs to the previous account.
      queryClient.clear()
      router.history.push(back)
    }
  })
  const problems = fieldProblemsOf(signingUp.error)
  useEffect(() => {
    document.title = accountTexts.signUpAsDeveloper
  }, [])
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [signingUp.error])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signingUp.mutate(account)
  }
  const field = (name: keyof typeof EMPTY_ACCOUNT) => ({
    value: account[name],
    problem: problems[name],
    onChange: ({ target }: { readonly target: HTMLInputElement }) => setAccount({ ...account, [name]: target.value })
  })
  return (
    <main className={css["page"]}>
      <form ref={form} className={css["card"]} onSubmit={submit} noValidate>
        <h1>{accountTexts.signUpAsDeveloper}</h1>
        {signingUp.error === null || Object.keys(problems).length > 0 ? undefined : (
          <p className={css["error"]} role="alert">
            {signingUp.error.message}
          </p>
        )}
        <TextField label={accountTexts.name} autoComplete="name" {...field("name")} />
        <TextField label={accountTexts.email} type="email" autoComplete="username" {...field("email")} />
        <TextField
          label={accountTexts.password}
          type="password"
          autoComplete="new-password"
          hint={accountTexts.passwordHint}
          {...field("password")}
        />
        <Button kind="strong" type="submit" isBusy={signingUp.isPending}>
          {accountTexts.signUp}
        </Button>
        <p>
          {accountTexts.hasAccount}{" "}
          <Link to="/developers/sign-in" search={search}>
            {accountTexts.signIn}
          </Link>
        </p>
      </form>
    </main>
  )
}
