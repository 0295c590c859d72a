import type { CoreRequest } from '../http/message.ts'
import type { BrowserSession, SignInState } from './sign-in-state.ts'

/** The cookie by which the page to sign in knows a browser. Ports share cookies, so its name has that of the server. */
function cookieName({ base }: Pick<CoreRequest, 'base'>): string {
  return `sbx_session_${new URL(base).port || 'web'}`
}

/** The path of the address, so that the sessions of worlds do not meet. */
function cookiePath({ base }: Pick<CoreRequest, 'base'>): string {
  return new URL(base).pathname.replace(/\/+$/, '') || '/'
}

/** The session of a browser that has signed in. */
export async function sessionOf(
  request: Pick<CoreRequest, 'header' | 'base'>,
  state: SignInState,
): Promise<BrowserSession | undefined> {
  const name = cookieName(request)
  const cookies = (request.header('cookie') ?? '').split(/;\s*/)
  const own = cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)
  return own === undefined || own === '' ? undefined : state.find('session', own)
}

/** Begins a session. Resolves with its cookie. */
export async function beginSession(
  request: Pick<CoreRequest, 'base'>,
  user: string,
  state: SignInState,
): Promise<{ readonly session: BrowserSession; readonly cookie: string }> {
  const text = await state.randomText(36)
  const session = await state.add<BrowserSession>({
    ...{ id: `session:${text}`, kind: 'session', user },
    authTime: state.now,
  })
  return { session, cookie: cookieText(request, text) }
}

/** Ends a session. Resolves with the cookie that removes it from the browser. */
export async function endSession(
  request: Pick<CoreRequest, 'base'>,
  session: BrowserSession | undefined,
  state: SignInState,
): Promise<string> {
  if (session) await state.remove(session.id)
  return `${cookieText(request, '')}; Max-Age=0`
}

function cookieText(request: Pick<CoreRequest, 'base'>, value: string): string {
  const isSecure = request.base.startsWith('https:')
  const path = cookiePath(request)
  return `${cookieName(request)}=${value}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}
