/** Characters that embed, override or isolate a direction, by which a text can look like another one. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text with its controls of direction as escapes. Marks of direction, which right-to-left texts need, stay. */
export function visibleText(text: string): string {
  return text.replaceAll(directionControls, (control) => `\\u${control.charCodeAt(0).toString(16)}`);
}
