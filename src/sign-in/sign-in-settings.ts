import { type Duration, milliseconds } from '../time/duration.ts'
import { once } from '../validation/objects.ts'
import { refuseUnknown, UsageError } from '../validation/usage-error.ts'

/** A client that may ask for tokens. */
export interface OAuthClient {
  /** The secret; without one, the client is public and must use PKCE. */
  readonly secret?: string
  /** The addresses to which its users return. A port of an address on this machine may differ (RFC 8252, section 7.3). By default, none. */
  readonly redirects?: readonly string[]
  /** The name that the page to sign in shows. By default, the id. */
  readonly name?: string
  /** The plan of its tokens. By default, that of the user, else the first one. */
  readonly plan?: string
}

/** How clients and users get tokens. All are optional. */
export interface SignInOptions {
  /**
   * The clients by their ids. By default, any client is known, with any secret, and returns to this machine. Once there is one, others are
   * refused.
   */
  readonly clients?: Readonly<Record<string, OAuthClient>>
  /** The form of access tokens. ID tokens are always JWTs. By default, `opaque`. */
  readonly tokens?: 'opaque' | 'jwt'
  /** How long access tokens work on the sandbox's clock. By default, an hour. */
  readonly accessLifetime?: Duration
  /** How long refresh tokens work on the sandbox's clock. By default, 30 days. */
  readonly refreshLifetime?: Duration
  /**
   * Signs in at once, without the page: the user of `login_hint`, else this one, by its id, e-mail address or name; `true` stands for the
   * first one. By default, `false`.
   */
  readonly auto?: boolean | string
  /**
   * The clock of the times in JWTs: `real`, because clients compare them with their own clock, or `sandbox`, for tests with fake timers.
   * Whether a token still works is always decided by the sandbox's clock. By default, `real`.
   */
  readonly timestamps?: 'real' | 'sandbox'
  /**
   * Where codes and tokens come from: `seed`, so that the same requests get the same ones, or `system`, which nobody can guess. Servers
   * use `system`. By default, `seed`.
   */
  readonly random?: 'seed' | 'system'
  /** The private RSA key that signs JWTs, as a JWK. By default, each world makes its own. */
  readonly key?: Readonly<Record<string, unknown>> | undefined
}

/** The forms of access tokens. */
export const TOKEN_FORMS: readonly ('opaque' | 'jwt')[] = ['opaque', 'jwt']

/** The options about sign-in, complete and checked. */
export interface SignInSettings {
  /** Empty when any client is known. */
  readonly clients: ReadonlyMap<string, OAuthClient>
  readonly tokens: 'opaque' | 'jwt'
  /** In milliseconds. */
  readonly accessLifetime: number
  readonly refreshLifetime: number
  readonly auto: boolean | string
  readonly timestamps: 'real' | 'sandbox'
  readonly random: 'seed' | 'system'
  readonly key: Readonly<Record<string, unknown>> | undefined
}

const DEFAULTS = {
  clients: {},
  tokens: 'opaque',
  accessLifetime: '1h',
  refreshLifetime: '30d',
  auto: false,
  timestamps: 'real',
  random: 'seed',
  key: undefined,
} as const satisfies { readonly [Name in keyof SignInOptions]-?: unknown }

/** The options about sign-in, complete and checked. Throws a UsageError that names the option. */
export const signInSettings: (options: SignInOptions) => SignInSettings = once(resolveSignInOptions)

function resolveSignInOptions(options: SignInOptions): SignInSettings {
  refuseUnknown('use the option signIn', options, Object.keys(DEFAULTS))
  const given: Required<SignInOptions> = { ...DEFAULTS, ...options }
  const [mistake] = [
    ...Object.entries(given.clients).flatMap(mistakesInClient),
    ...(TOKEN_FORMS.includes(given.tokens) ? [] : ['tokens must be opaque or jwt']),
    ...(given.key && typeof given.key.d !== 'string'
      ? ['key must be a private RSA key as a JWK']
      : []),
  ]
  if (mistake !== undefined) {
    const help = 'See the guide, "Sign-in".'
    throw new UsageError({
      code: 'invalid_option',
      task: 'use the option signIn',
      reason: mistake,
      help,
    })
  }
  return {
    ...given,
    clients: new Map(Object.entries(given.clients)),
    accessLifetime: milliseconds(given.accessLifetime),
    refreshLifetime: milliseconds(given.refreshLifetime),
  }
}

function mistakesInClient([id, client]: readonly [string, OAuthClient]): readonly string[] {
  refuseUnknown(`use the client "${id}"`, client, ['secret', 'redirects', 'name', 'plan'])
  const wrong = (client.redirects ?? []).find(
    (address) => !URL.canParse(address) || /#|^(javascript|data):/i.test(address),
  )
  return wrong === undefined ? [] : [`"${wrong}" cannot be a redirect address`]
}
