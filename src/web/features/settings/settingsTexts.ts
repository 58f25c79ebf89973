import { plural, t } from "@lingui/core/macro"

/** Texts of the settings pages. */
export const settingsTexts = {
  page: {
    title: t`Settings`,
    tabs: {
      store: t`Store`,
      members: t`Members`,
      sessions: t`Sessions`,
      password: t`Password`
    }
  },
  store: {
    saved: t`Settings saved`,
    title: t`Store`,
    name: t`Name`,
    domain: t`Domain`,
    domainHint: t`Address of your storefront, such as shop.example.com.`,
    country: t`Country`,
    noCountry: t`None`,
    language: t`Language`,
    languageHint: t`Language tag, such as de-DE.`,
    timezone: t`Time zone`,
    weightUnit: t`Weight unit`,
    unsaved: t`Your changes to the store settings are not saved and will be lost.`,
    planAndCurrency: t`Plan and currency`,
    plan: t`Plan`,
    currency: t`Currency`,
    created: t`Created`,
    problem: (reason: string) => (reason.startsWith("must") ? t`It ${reason}` : reason),
    weightUnits: {
      kg: t`Kilograms`,
      g: t`Grams`,
      lb: t`Pounds`,
      oz: t`Ounces`
    }
  },
  roles: {
    owner: {
      name: t`Owner`,
      text: t`Full access.`
    },
    staff: {
      name: t`Staff`,
      text: t`Full access except members and billing.`
    }
  },
  members: {
    title: t`Members`,
    name: t`Name`,
    you: t`You`,
    email: t`E-mail address`,
    role: t`Role`,
    since: t`Member since`,
    actions: t`Actions`,
    edit: t`Edit`,
    editMember: (email: string) => t`Edit ${email}`,
    resetLink: t`Create reset link`,
    remove: t`Remove member`,
    removed: (member: string) => t`${member} is no longer a member`,
    confirmLeave: t`Leave this store?`,
    confirmRemove: (member: string) => t`Remove ${member}?`,
    leave: t`Leave store`,
    leaveAdvice: t`You will lose access to this store. An owner can add you again.`,
    removeAdvice: t`They will lose access to this store. Their changes are kept, and you can add them again.`,
    ownersOnly: t`Owners only`,
    ownersOnlyAdvice: t`Only store owners can manage members. Ask an owner to do this, or to make you an owner.`,
    makeRole: { owner: t`Make owner`, staff: t`Make staff` },
    roleChanged: {
      owner: (member: string) => t`${member} is now an owner`,
      staff: (member: string) => t`${member} is now staff`
    }
  },
  invitations: {
    title: t`Invitations`,
    purpose: t`Invite people with a link. They create an account, or sign in, and become members.`,
    invite: t`Invite a member`,
    create: t`Create link`,
    invited: (email: string) => t`Invitation for ${email}`,
    link: t`Link`,
    linkHint: t`Copy the link and send it. It works once, for 7 days, and is not shown again.`,
    linkLost: t`The link was shown already. Close this dialog and create another one.`,
    done: t`Done`,
    state: t`Status`,
    states: { open: t`Open`, accepted: t`Accepted`, revoked: t`Revoked`, expired: t`Expired` },
    expires: t`Expires`,
    revoke: t`Revoke`,
    revokeOf: (email: string) => t`Revoke invitation of ${email}`,
    revoked: t`Invitation revoked`,
    resetTitle: (member: string) => t`Reset password of ${member}`,
    resetAdvice: t`The member chooses a new password with a link. All their sessions end then. A new link replaces an older one.`,
    createReset: t`Create reset link`,
    resetLinkHint: t`Copy the link and send it to the member. It works once, for 24 hours, and is not shown again.`
  },
  addMember: {
    title: t`Add a member`,
    added: (email: string) => t`${email} added`,
    invalidEmail: t`Enter an e-mail address, such as ada@example.com`,
    email: t`E-mail address`,
    emailHint: t`The person must already have an account. Otherwise, invite them.`,
    role: t`Role`,
    action: t`Add member`
  },
  sessions: {
    title: t`Active sessions`,
    caption: t`Your sessions`,
    browser: t`Browser`,
    thisBrowser: t`This browser`,
    lastUsed: t`Last used`,
    endColumn: t`End`,
    endSession: (browser: string, since: string) => t`End session of ${browser} since ${since}`,
    end: t`End session`,
    ended: t`Session ended`,
    advice: t`If you do not recognize a session, end it and change your password.`,
    signedIn: (date: string, address: string) => t`Signed in on ${date} from ${address}`,
    unknownBrowser: t`Unknown browser`,
    browserOnSystem: (browser: string, system: string) => t`${browser} on ${system}`
  },
  password: {
    title: t`Change password`,
    changed: (sessions: number) =>
      sessions === 0
        ? t`Password changed`
        : t`Password changed. ${plural(sessions, { one: "# other session", other: "# other sessions" })} ended.`,
    account: t`Account`,
    current: t`Current password`,
    next: t`New password`,
    nextHint: t`At least 12 characters. Changing it ends your other sessions.`,
    again: t`Confirm new password`,
    currentMissing: t`Enter your current password`,
    invalidLength: t`Use 12 to 256 characters`,
    mismatch: t`The passwords do not match`
  }
} as const
