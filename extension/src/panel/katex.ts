// A bundle of its own, loaded by math.ts when an answer holds a formula.
import katex from 'katex';

export default katex;
