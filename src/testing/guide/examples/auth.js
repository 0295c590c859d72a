import { Auth } from '@auth/core'

const issuer = process.env.NOTES_ISSUER ?? 'http://127.0.0.1:4010'
const client = { client_id: 'web', client_secret: 's3cret' }

/** Sends a form to the service, as a client. */
async function send(path, form) {
  const body = new URLSearchParams({ ...client, ...form })
  const response = await fetch(issuer + path, { method: 'POST', body })
  if (!response.ok) throw new Error(await response.text())
  return response
}

const config = {
  providers: [
    {
      id: 'notes',
      name: 'Notes',
      type: 'oidc',
      issuer,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      authorization: { params: { scope: 'openid profile email notes:read' } },
    },
  ],
  callbacks: {
    async jwt({ token, account }) {
      if (account) {
        const { access_token, refresh_token } = account
        return { ...token, access_token, refresh_token, checkedAt: 0 }
      }
      const active = await send('/oauth/introspect', { token: token.access_token })
      if ((await active.json()).active) return token
      const form = { grant_type: 'refresh_token', refresh_token: token.refresh_token }
      const next = await send('/oauth2/token', form)
      return { ...token, ...(await next.json()) }
    },
    session: ({ session, token }) => ({ ...session, accessToken: token.access_token }),
  },
  events: {
    signOut: async ({ token }) => {
      await send('/oauth/revoke', { token: token.refresh_token })
    },
  },
  secret: 'only for tests',
  trustHost: true,
}

/** The handler of `/auth/…`, as `app/auth/[...nextauth]/route.js` exports it in Next.js. */
export function handle(request) {
  return Auth(request, { ...config, basePath: '/auth' })
}
