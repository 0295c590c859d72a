import { Option } from 'commander'
import type { ShownUser } from '../../control/outputs.ts'
import type { EndpointInfo, TokenInfo } from '../../sign-in/steer.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { printable } from '../terminal.ts'
import { type Columns, listing, tableOf, type Verbs } from './run-verb.ts'

const USERS: Columns<ShownUser> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  EMAIL: ({ email = '' }) => email,
  PLAN: ({ plan = '' }) => plan,
}

const TOKENS: Columns<TokenInfo> = {
  GRANT: ({ grant }) => grant,
  KIND: ({ kind }) => kind,
  TOKEN: ({ token }) => token,
  USER: ({ user = '' }) => user,
  CLIENT: ({ client }) => client,
  PLAN: ({ plan = '' }) => plan,
  STATE: ({ state }) => state,
  ENDS: ({ expiresAt }) => new Date(expiresAt).toISOString(),
  SCOPES: ({ scopes }) => scopes.join(' '),
}

const ENDPOINTS: Columns<EndpointInfo> = {
  ENDPOINT: ({ endpoint }) => endpoint,
  PATH: ({ path }) => path,
  ADDRESS: ({ address = '' }) => address,
}

const STATES: readonly TokenInfo['state'][] = ['valid', 'expired', 'revoked', 'used']

/** The verbs for users and their tokens. */
export const signIn: Verbs = {
  users: {
    description: 'list the users who can sign in',
    run: () => listing((client) => client.signIn.users(), USERS, 'Nobody can sign in.'),
  },
  'sign-in': {
    description: 'issue tokens for a user, and print the access token',
    arguments: { '[user]': 'id, e-mail address or name (default: the first user)' },
    options: [
      new Option('--scopes <scopes>', 'scopes, separated by spaces (default: all)'),
      new Option('--client <id>', 'id of the client (default: sandbox)'),
      new Option('--plan <name>', 'plan of the tokens'),
    ],
    run: (user: string | undefined, options: SignInOptions) => {
      const { scopes, ...others } = options
      const asked = scopes === undefined ? {} : { scopes: scopes.split(/[\s,]+/) }
      return async (client) => {
        const tokens = await client.signIn.as(user, { ...others, ...asked })
        return { value: tokens, lines: [printable(tokens.access_token)] }
      }
    },
  },
  tokens: {
    description: 'list the tokens that were issued',
    options: [
      new Option('--user <id>', 'only tokens of this user'),
      new Option('--state <state>', 'only tokens in this state').choices(STATES),
    ],
    run: (query: { readonly user?: string; readonly state?: TokenInfo['state'] }) =>
      listing((client) => client.signIn.tokens(query), TOKENS, 'No tokens were issued.'),
    verbs: {
      revoke: {
        description: 'revoke the tokens of a grant',
        arguments: { '<grant>': 'a grant from "tokens"' },
        run: (grant: string) => async (client) => {
          if (await client.signIn.revoke(grant)) return { value: undefined, lines: ['Revoked.'] }
          throw new UsageError({
            code: 'not_found',
            task: `revoke the grant "${grant}"`,
            reason: 'there is none with this name',
            help: 'List them with: pet-sandbox ctl tokens',
          })
        },
      },
      endpoints: {
        description: 'list the addresses at which clients get tokens',
        run: () => async (client) => {
          const { endpoints } = await client.signIn.info()
          const none = 'The document has no OAuth 2 and no OpenID Connect.'
          return { value: endpoints, lines: tableOf(endpoints, Object.entries(ENDPOINTS), none) }
        },
      },
    },
  },
}

interface SignInOptions {
  readonly scopes?: string
  readonly client?: string
  readonly plan?: string
}
