/** What is given to `spawn`. */
export interface Spawn {
  readonly file: string
  readonly args: readonly string[]
  /** Whether Windows gets the arguments as they are written here. */
  readonly isVerbatim: boolean
}

/**
 * A command as the platform can start it. On Windows, `npm` and its like are scripts that only its shell runs, which reads
 * what it is given once more: all is quoted for that.
 */
export function toSpawn(
  [command = '', ...args]: readonly string[],
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): Spawn {
  if (platform !== 'win32') return { file: command, args, isVerbatim: false }
  const line = [forShell(command), ...args.map((word) => forShell(quoted(word)))].join(' ')

  return {
    file: environment.ComSpec ?? environment.COMSPEC ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  }
}

/** One word, as programs on Windows take their line apart: backslashes count before a quote only. */
function quoted(word: string): string {
  const escaped = word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')
  return `"${escaped}"`
}

/** Nothing of it means anything to the shell. */
function forShell(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
