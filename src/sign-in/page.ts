import type { CoreResponse } from '../http/message.ts'
import { POLICY_HEADER } from '../http/response-headers.ts'
import { base64Url, sha256 } from './issue-tokens.ts'
import type { SignInState } from './sign-in-state.ts'
import type { SignInUser } from './users.ts'

/** A page for browsers: its title and the markup of its main part. */
export interface Page {
  readonly title: string
  readonly main: string
  /** Where its form may lead besides the own server, such as `http://localhost:3000`. */
  readonly formTarget?: string
  readonly script?: string
}

/** What the page to sign in shows. */
export interface SignInQuestion {
  readonly service: string
  readonly client: string
  /** The address to return to, as people read it; absent for a device. */
  readonly target?: string
  readonly scopes: readonly (readonly [name: string, description: string])[]
  readonly users: readonly SignInUser[]
  /** The id of the user that is chosen at first. */
  readonly chosen: string | undefined
  readonly plans: readonly string[]
  readonly plan: string | undefined
  /** Where the form is sent, and what it repeats of the request. */
  readonly action: string
  readonly hidden: readonly (readonly [name: string, value: string])[]
  /** What the last answer lacked. */
  readonly mistake?: string
  readonly formTarget?: string
}

/** The page on which a user is chosen, and allows or denies what a client asks for. */
export function signInPage(question: SignInQuestion): Page {
  const { service, client, target, scopes, mistake, action, hidden } = question
  const fields = hidden.map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  const asked = scopes.map(
    ([name, description]) =>
      `<li><code>${escaped(name)}</code>${description === '' ? '' : ` <span>${escaped(description)}</span>`}</li>`,
  )

  return {
    title: `Sign in to ${service}`,
    ...(question.formTarget !== undefined && { formTarget: question.formTarget }),
    main: `
<h1>Sign in to ${escaped(service)}</h1>
<p class="note">This is a sandbox. Choose who you are; there are no passwords.</p>
${mistake === undefined ? '' : `<p class="mistake" role="alert">${escaped(mistake)}</p>`}
<form method="post" action="${escaped(action)}">
${fields.join('\n')}
${usersField(question)}
${planField(question)}
<section aria-labelledby="asks">
<h2 id="asks"><strong>${escaped(client)}</strong> asks for ${asked.length === 0 ? 'access' : 'these scopes'}</h2>
${asked.length === 0 ? '' : `<ul>${asked.join('')}</ul>`}
${target === undefined ? '' : `<p class="quiet">You return to <span class="address">${escaped(target)}</span>.</p>`}
</section>
<p class="actions"><button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></p>
</form>`,
  }
}

function usersField({ users, chosen }: SignInQuestion): string {
  if (users.length === 0)
    return '<p class="mistake">The sandbox has no users. Create one first.</p>'
  const first = users.some(({ id }) => id === chosen) ? chosen : users[0]?.id
  const choices = users.map(
    ({ id, name, email }) => `<label class="choice">
<input type="radio" name="user" value="${escaped(id)}"${id === first ? ' checked' : ''} required>
<span><b>${escaped(name)}</b>${email === undefined || email === name ? '' : `<small>${escaped(email)}</small>`}</span>
</label>`,
  )
  return `<fieldset><legend>Sign in as</legend><div class="users">${choices.join('\n')}</div></fieldset>`
}

function planField({ plans, plan }: SignInQuestion): string {
  if (plans.length < 2) return ''
  const options = plans.map(
    (name) =>
      `<option value="${escaped(name)}"${name === plan ? ' selected' : ''}>${escaped(name)}</option>`,
  )
  return `<p class="field"><label for="plan">Plan of the tokens</label><select id="plan" name="plan">${options.join('')}</select></p>`
}

/** The page on which the code of a device is entered. */
export function devicePage(
  action: string,
  {
    service,
    code,
    mistake,
  }: { readonly service: string; readonly code: string; readonly mistake?: string },
): Page {
  return {
    title: `Connect a device to ${service}`,
    main: `
<h1>Connect a device</h1>
<p class="note">Enter the code that the device shows.</p>
${mistake === undefined ? '' : `<p class="mistake" role="alert" id="mistake">${escaped(mistake)}</p>`}
<form method="get" action="${escaped(action)}">
<p class="field"><label for="code">Code</label>
<input id="code" name="user_code" value="${escaped(code)}" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="12"${mistake === undefined ? '' : ' aria-invalid="true" aria-describedby="mistake"'}></p>
<p class="actions"><button class="primary">Continue</button></p>
</form>`,
  }
}

/** A page that says what happened, or what is wrong. */
export function messagePage(title: string, text: string): Page {
  return { title, main: `<h1>${escaped(title)}</h1><p>${escaped(text)}</p>` }
}

export function signedOutPage({ state }: { readonly state: SignInState }): Page {
  const { title } = state.host.service.settings.contract
  return messagePage('Signed out', `You are signed out of ${title}.`)
}

const SUBMIT = 'document.forms[0].submit()'

/** The page that sends the answer to the client as a form (OAuth 2.0 Form Post Response Mode). It works without script, too. */
export function formPostPage(
  target: URL,
  parameters: readonly (readonly [string, string])[],
): Page {
  const fields = parameters.map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  return {
    title: 'Signed in',
    formTarget: sourceOf(target),
    script: SUBMIT,
    main: `<h1>Signed in</h1><form method="post" action="${escaped(target.href)}">
${fields.join('\n')}
<p class="actions"><button class="primary">Continue</button></p></form>`,
  }
}

/** An address as a source of a content security policy: the origin, or the scheme of an address without one. */
export function sourceOf({ origin, protocol }: URL): string {
  return origin === 'null' ? protocol : origin
}

/** A response with a page. It loads nothing, and only its own style and script apply. */
export async function pageResponse(
  status: number,
  { title, main, formTarget, script }: Page,
): Promise<CoreResponse> {
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src '${await sourceHash(STYLE)}'`,
    ...(script === undefined ? [] : [`script-src '${await sourceHash(script)}'`]),
    "base-uri 'none'",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
  ]
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      [POLICY_HEADER]: policy.join('; '),
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>${main}</main>
${script === undefined ? '' : `<script>${script}</script>`}
</body>
</html>
`,
  }
}

async function sourceHash(text: string): Promise<string> {
  const hash = base64Url(await sha256(text))
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  return `sha256-${hash.padEnd(44, '=')}`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The dashboard's look. */
const STYLE = `
:root{color-scheme:light dark;--paper:light-dark(#fff,#131519);--ground:light-dark(#f7f7f8,#0e1013);--raised:light-dark(#fff,#1b1e24);--soft:light-dark(#f1f2f4,#22262d);--ink:light-dark(#1a1d23,#e8eaef);--quiet:light-dark(#5c6370,#9ba3b2);--line:light-dark(#e2e4e9,#2b3038);--edge:light-dark(#8b919d,#6b7280);--accent:light-dark(#2557d6,#7da5ff);--on-accent:light-dark(#fff,#0d1526);--accent-soft:light-dark(#eaf0fe,#1c2a47);--bad:light-dark(#b3202a,#ff8a8c);--bad-soft:light-dark(#fce8e9,#3b1b1e)}
*,::before,::after{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:start center;padding:clamp(16px,6vh,72px) 16px 40px;background:var(--ground);color:var(--ink);font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{width:100%;max-width:440px;padding:24px;background:var(--paper);border:1px solid var(--line);border-radius:8px;overflow-wrap:anywhere}
h1{margin:0 0 8px;font-size:20px;line-height:1.3}
h2{margin:0 0 8px;font-size:14px;font-weight:400}
p{margin:0 0 16px}
main>p:last-child,form{margin-bottom:0}
.note,.quiet,small{color:var(--quiet)}
fieldset{margin:0 0 16px;padding:0;border:1px solid var(--line);border-radius:6px}
legend,.field label{padding:0;margin:0 0 8px;font-weight:600}
legend{float:left;width:100%;margin:0;padding:8px 12px;border-bottom:1px solid var(--line)}
.users{clear:both;max-height:312px;overflow:auto}
.choice{display:flex;gap:12px;align-items:center;padding:8px 12px;min-height:44px;cursor:pointer}
.choice+.choice{border-top:1px solid var(--line)}
.choice:hover{background:var(--soft)}
.choice:has(:checked){background:var(--accent-soft)}
.choice b{display:block;font-weight:500}
.choice small{display:block;font-size:12.5px}
input[type=radio]{flex:none;width:16px;height:16px;margin:0;accent-color:var(--accent)}
section{margin:0 0 16px}
ul{margin:0 0 16px;padding:0;list-style:none;border:1px solid var(--line);border-radius:6px;max-height:240px;overflow:auto}
li{padding:6px 12px}
li+li{border-top:1px solid var(--line)}
li span{display:block;color:var(--quiet);font-size:12.5px}
code,.address{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px}
.field{display:grid}
input:not([type=radio]),select,button{font:inherit;color:inherit;min-height:36px;padding:0 12px;border:1px solid var(--edge);border-radius:6px;background:var(--raised)}
.actions{display:flex;gap:8px;margin:0}
button{flex:1;font-weight:500;cursor:pointer}
button:hover{background:var(--soft)}
.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.primary:hover{background:color-mix(in srgb,var(--accent) 88%,var(--ink))}
.mistake{padding:8px 12px;border-radius:6px;background:var(--bad-soft);color:var(--bad)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`
