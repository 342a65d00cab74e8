/** The path of the program for this platform. Throws an error that says what to do if there is none. */
export function program(): string;
