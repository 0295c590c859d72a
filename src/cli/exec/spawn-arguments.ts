/** The arguments of `spawn`. */
export interface SpawnArguments {
  readonly file: string
  readonly args: readonly string[]
  /** Whether Node must pass the arguments to Windows without quoting them. */
  readonly isVerbatim: boolean
}

/**
 * The arguments that start a command on a platform. On Windows, `npm` is a script that only the shell can run. The shell parses
 * the command line again, so every argument is quoted.
 */
export function spawnArguments(
  [command = '', ...args]: readonly string[],
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): SpawnArguments {
  if (platform !== 'win32') return { file: command, args, isVerbatim: false }
  const line = [escapeForShell(command), ...args.map((word) => escapeForShell(quoted(word)))].join(
    ' ',
  )

  return {
    file: environment.ComSpec ?? environment.COMSPEC ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  }
}

/** Quotes an argument for Windows programs: backslashes are only special before a quote. */
function quoted(word: string): string {
  const escaped = word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')
  return `"${escaped}"`
}

/** Escapes all characters that are special to the Windows shell. */
function escapeForShell(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
