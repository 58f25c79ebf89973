import { count } from "../../shared/data/format.ts"

/** Texts of the settings pages. */
export const settingsTexts = {
  page: {
    title: "Settings",
    tabs: {
      store: "Store",
      members: "Members",
      sessions: "Sessions",
      password: "Password"
    }
  },
  store: {
    saved: "Settings saved",
    title: "Store",
    name: "Name",
    domain: "Domain",
    domainHint: "Address of your storefront, such as shop.example.com.",
    country: "Country",
    noCountry: "None",
    language: "Language",
    languageHint: "Language tag, such as de-DE.",
    timezone: "Time zone",
    weightUnit: "Weight unit",
    unsaved: "Your changes to the store settings are not saved and will be lost.",
    planAndCurrency: "Plan and currency",
    plan: "Plan",
    currency: "Currency",
    created: "Created",
    problem: (reason: string) => (reason.startsWith("must") ? `It ${reason}` : reason),
    weightUnits: {
      kg: "Kilograms",
      g: "Grams",
      lb: "Pounds",
      oz: "Ounces"
    }
  },
  roles: {
    owner: {
      name: "Owner",
      text: "Full access."
    },
    staff: {
      name: "Staff",
      text: "Full access except members and billing."
    }
  },
  members: {
    title: "Members",
    name: "Name",
    you: "You",
    email: "E-mail address",
    role: "Role",
    since: "Member since",
    actions: "Actions",
    edit: "Edit",
    editMember: (email: string) => `Edit ${email}`,
    resetLink: "Create reset link",
    remove: "Remove member",
    removed: (member: string) => `${member} is no longer a member`,
    confirmLeave: "Leave this store?",
    confirmRemove: (member: string) => `Remove ${member}?`,
    leave: "Leave store",
    leaveAdvice: "You will lose access to this store. An owner can add you again.",
    removeAdvice: "They will lose access to this store. Their changes are kept, and you can add them again.",
    ownersOnly: "Owners only",
    ownersOnlyAdvice: "Only store owners can manage members. Ask an owner to do this, or to make you an owner.",
    makeRole: { owner: "Make owner", staff: "Make staff" },
    roleChanged: {
      owner: (member: string) => `${member} is now an owner`,
      staff: (member: string) => `${member} is now staff`
    }
  },
  invitations: {
    title: "Invitations",
    purpose: "Invite people with a link. They create an account, or sign in, and become members.",
    invite: "Invite a member",
    create: "Create link",
    invited: (email: string) => `Invitation for ${email}`,
    link: "Link",
    linkHint: "Copy the link and send it. It works once, for 7 days, and is not shown again.",
    linkLost: "The link was shown already. Close this dialog and create another one.",
    done: "Done",
    state: "Status",
    states: { open: "Open", accepted: "Accepted", revoked: "Revoked", expired: "Expired" },
    expires: "Expires",
    revoke: "Revoke",
    revokeOf: (email: string) => `Revoke invitation of ${email}`,
    revoked: "Invitation revoked",
    resetTitle: (member: string) => `Reset password of ${member}`,
    resetAdvice:
      "The member chooses a new password with a link. All their sessions end then. A new link replaces an older one.",
    createReset: "Create reset link",
    resetLinkHint: "Copy the link and send it to the member. It works once, for 24 hours, and is not shown again."
  },
  addMember: {
    title: "Add a member",
    added: (email: string) => `${email} added`,
    invalidEmail: "Enter an e-mail address, such as ada@example.com",
    email: "E-mail address",
    emailHint: "The person must already have an account. Otherwise, invite them.",
    role: "Role",
    action: "Add member"
  },
  sessions: {
    title: "Active sessions",
    caption: "Your sessions",
    browser: "Browser",
    thisBrowser: "This browser",
    lastUsed: "Last used",
    endColumn: "End",
    endSession: (browser: string, since: string) => `End session of ${browser} since ${since}`,
    end: "End session",
    ended: "Session ended",
    advice: "If you do not recognize a session, end it and change your password.",
    signedIn: (date: string, address: string) => `Signed in on ${date} from ${address}`,
    unknownBrowser: "Unknown browser",
    browserOnSystem: (browser: string, system: string) => `${browser} on ${system}`
  },
  password: {
    title: "Change password",
    changed: (sessions: number) =>
      sessions === 0 ? "Password changed" : `Password changed. ${count(sessions, "other session")} ended.`,
    account: "Account",
    current: "Current password",
    next: "New password",
    nextHint: "At least 12 characters. Changing it ends your other sessions.",
    again: "Confirm new password",
    currentMissing: "Enter your current password",
    invalidLength: "Use 12 to 256 characters",
    mismatch: "The passwords do not match"
  }
} as const
