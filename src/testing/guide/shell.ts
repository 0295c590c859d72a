/** The commands of a script, each as its words: quotes are resolved, comments and a final `&` are left out. */
export function commandsIn(script: string): readonly (readonly string[])[] {
  return script
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => splitCommands(line))
    .map((words) => words.filter((word) => word !== '&'))
    .filter((words) => words.length > 0)
}

/** Calls of pet-sandbox among the commands: their arguments. */
export function sandboxCalls(script: string): readonly (readonly string[])[] {
  return commandsIn(script).flatMap((words) => {
    const [first, ...args] = words.filter((word) => word !== 'npx')
    return first === 'pet-sandbox' ? [args] : []
  })
}

function splitCommands(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const [word] of line
    .replace(/^\$ /, '')
    .matchAll(/(?:'[^']*'|"[^"]*"|[^\s'";|&]|&(?!&))+|&&|[;|]/g)) {
    if (word.startsWith('#')) break
    if (/^(?:&&|[;|])$/.test(word)) commands.push([])
    else commands.at(-1)?.push(unquoted(word))
  }
  return commands
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"([^"]*)"/g,
    (_quoted, single = '', double = '') => single + double,
  )
}
