import { problems } from '../http/problem.ts'
import type { SignInUser } from '../sign-in/users.ts'
import { type Handlers, located } from './call.ts'
import type { ShownUser } from './outputs.ts'

/** The handlers for sign-in: users, tokens and what they allow. */
export const signInHandlers: Handlers<
  'getSignIn' | 'listSignInUsers' | 'listTokens' | 'issueToken' | 'revokeGrant'
> = {
  getSignIn: ({ world }) => world.signIn.info(),

  listSignInUsers: async ({ world }) => (await world.signIn.users()).map(shown),

  listTokens: async ({ world, input: { query } }) => {
    const tokens = await world.signIn.tokens()
    return tokens.filter(
      ({ user, state }) =>
        (query.user === undefined || user === query.user) &&
        (query.state === undefined || state === query.state),
    )
  },

  issueToken: async ({ world, request, base, input: { body } }) => {
    const { user, ...options } = body
    const { origin } = new URL(request.base)
    const prefix = world.name === 'default' ? '' : `/worlds/${encodeURIComponent(world.name)}`
    const tokens = await world.signIn.as(user, { ...options, issuer: origin + prefix })

    return located(201, tokens, `${base}/sign-in/tokens`)
  },

  revokeGrant: async ({ world, input: { path } }) => {
    const isKnown = await world.signIn.revoke(path.grant)
    if (!isKnown) throw problems.notFound(`There is no grant ${path.grant}.`)
  },
}

function shown({ id, name, email, username, plan }: SignInUser): ShownUser {
  return {
    id,
    name,
    ...(email !== undefined && { email }),
    ...(username !== undefined && { username }),
    ...(plan !== undefined && { plan }),
  }
}
